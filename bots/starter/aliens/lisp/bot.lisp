;;; A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
;;;
;;;     skirmish play aliens --watch . house:random
;;;
;;; Each turn, THINK gets a view:
;;;     view-turn              the number of the turn, from 1
;;;     view-rows, view-cols   the size of the grid; squares are numbered row by row from 0
;;;     view-grid              a character per square: . empty, * energy, a and b units
;;;     view-me, view-enemy    the players: player-letter, player-energy, player-spawn (a square),
;;;                            player-spawn-destroyed
;;; and returns the moves, from a square to an adjacent one. Units without a move stay:
;;;     (list (make-move :from 21 :to 22) (make-move :from 40 :to 60))

(load (merge-pathnames "protocol.lisp" *load-truename*))

;;; The line to change first: attack when we have this many times as many units as the enemy.
(defparameter *courage* 2)

(defun best (list cost)
  "The element with the smallest cost; on a tie, the first one; nil if there is none."
  (when list
    (reduce (lambda (a b) (if (< (funcall cost b) (funcall cost a)) b a)) list)))

(defun think (view)
  "The moves of this turn. The whole strategy is here."
  (let* ((rows (view-rows view))
         (cols (view-cols view))
         (grid (view-grid view))
         (me (view-me view))
         (enemy (view-enemy view)))
    (labels ((squares (what)
               (loop for square below (* rows cols)
                     when (char= (char grid square) what)
                       collect square))
             (steps (a b)
               (+ (abs (- (floor a cols) (floor b cols)))
                  (abs (- (mod a cols) (mod b cols)))))
             (neighbours (square)
               (loop for to in (list (- square cols) (+ square cols) (1- square) (1+ square))
                     when (and (< -1 to (* rows cols)) (= (steps square to) 1))
                       collect to)))
      (let* ((units (squares (player-letter me)))
             (enemies (squares (player-letter enemy)))
             (attack (>= (length units) (* *courage* (length enemies))))
             (goals (if attack
                        (append enemies (list (player-spawn enemy)))
                        (squares #\*)))
             (centre (+ (* (floor rows 2) cols) (floor cols 2)))
             (taken (copy-list units))  ; squares of our units; if two meet on a square, both die
             (claimed '())              ; energy that one of our units is already going for
             (moves '()))
        (dolist (unit units (nreverse moves))
          (let* ((wanted (remove-if (lambda (goal) (member goal claimed)) goals))
                 (goal (or (best wanted (lambda (square) (steps unit square))) centre))
                 ;; Energy is gathered from an adjacent square; moving onto it destroys it.
                 (free (remove-if (lambda (to) (or (member to taken) (char= (char grid to) #\*)))
                                  (neighbours unit))))
            (unless attack
              (push goal claimed))
            (flet ((cost (square)
                     ;; Distance to the goal, or an enemy too close.
                     (let ((danger (and (not attack)
                                        (some (lambda (e) (<= (steps square e) 2)) enemies))))
                       (+ (steps square goal) (if danger 1000 0)))))
              (let ((to (best (cons unit free) #'cost)))
                (unless (= to unit)
                  (setf taken (cons to (remove unit taken)))
                  (push (make-move :from unit :to to) moves))))))))))

;;; The main loop: answer every view until the match ends.
(loop for view = (next-view)
      while view
      do (when (= (view-turn view) 1) ; debug output: "skirmish play --stderr" and replays show it
           (format *error-output* "I am player ~a~%" (player-letter (view-me view))))
         (answer (think view)))
