;;; A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
;;;
;;;     skirmish play ctf --watch . house:random
;;;
;;; Each round, THINK gets a view. Squares are lists (x y):
;;;     view-turn                        the number of the round, from 1
;;;     view-map                         the rows of the map; # is an obstacle
;;;     view-base, view-spawn            where your flag belongs, and where your soldiers start
;;;     view-points, view-enemy-points   the score
;;;     view-flag, view-enemy-flag       where the flags are now
;;;     view-soldiers                    yours; soldier-name, -at, -cooldown, -alive, -carries-flag
;;;     view-grenades                    yours; grenade-at, -countdown (those of enemies are hidden)
;;;     view-enemies                     enemy-name, -at, -alive, -carries-flag
;;; and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
;;;     (list (make-order :name "X" :step "D" :target '(10 7)) (make-order :name "Y" :step "S"))

(load (merge-pathnames "protocol.lisp" *load-truename*))

;;; The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
(defparameter *guards* 1)
(defparameter *range* 10)               ; the default range of grenades
(defparameter *steps* '(("S" 0 0) ("U" 0 -1) ("D" 0 1) ("L" -1 0) ("R" 1 0)))
(defparameter *unreachable* 9999)

(defun apart (a b)
  (+ (abs (- (first a) (first b))) (abs (- (second a) (second b)))))

(defun hit-p (square blast)
  (and (<= (abs (- (first square) (first blast))) 1)
       (<= (abs (- (second square) (second blast))) 1)))

(defun open-p (map square)
  (destructuring-bind (x y) square
    (and (< -1 y (length map))
         (< -1 x (length (nth y map)))
         (char/= (char (nth y map) x) #\#))))

(defun distances (map goal)
  "The steps to the goal from every square that can reach it, as a hash table."
  (let ((far (make-hash-table :test #'equal))
        (edge (list goal)))
    (setf (gethash goal far) 0)
    (loop for steps from 1
          while edge
          do (let ((next '()))
               (dolist (at edge)
                 (loop for (nil . offset) in *steps*
                       for to = (mapcar #'+ at offset)
                       when (and (open-p map to) (not (gethash to far)))
                         do (setf (gethash to far) steps)
                            (push to next)))
               (setf edge next)))
    far))

(defun best-step (at far blasts)
  "The letter of the step that leads nearest to the goal."
  (let ((best *unreachable*)
        (step "S"))
    (loop for (letter . offset) in *steps*
          for to = (mapcar #'+ at offset)
          ;; Our own grenades kill us too.
          for danger = (some (lambda (blast) (hit-p to blast)) blasts)
          for steps = (+ (gethash to far *unreachable*) (if danger 1000 0))
          when (< steps best)
            do (setf best steps
                     step letter))
    step))

(defun best-target (at enemies)
  "The nearest enemy to throw at: a grenade kills everyone in the 3 x 3 squares around it, three
rounds later. The first of equals; nil if there is none."
  (let ((targets (remove-if-not (lambda (enemy) (< 3 (apart enemy at) (1+ *range*))) enemies)))
    (when targets
      (reduce (lambda (a b) (if (< (apart b at) (apart a at)) b a)) targets))))

(defun think (view)
  "The orders of this round. The whole strategy is here."
  (let* ((enemies (mapcar #'enemy-at (remove-if-not #'enemy-alive (view-enemies view))))
         (blasts (loop for grenade in (view-grenades view)
                       when (= (grenade-countdown grenade) 1)
                         collect (grenade-at grenade)))
         (to-base (distances (view-map view) (view-base view)))
         (to-flag (distances (view-map view) (view-flag view)))
         (to-enemy-flag (distances (view-map view) (view-enemy-flag view))))
    (loop for soldier in (view-soldiers view)
          for number from 0
          ;; The dead respawn first.
          for at = (if (soldier-alive soldier) (soldier-at soldier) (view-spawn view))
          for has-flag = (or (soldier-carries-flag soldier) (equal at (view-enemy-flag view)))
          ;; On the base, the next order captures the flag.
          for far = (cond ((and has-flag (not (equal at (view-base view)))) to-base)
                          ((< number *guards*) to-flag)
                          (t to-enemy-flag))
          for ready = (and (soldier-alive soldier) (zerop (soldier-cooldown soldier)))
          collect (make-order :name (soldier-name soldier)
                              :step (best-step at far blasts)
                              :target (when ready (best-target at enemies))))))

;;; The main loop: answer every view until the match ends.
(loop for view = (next-view)
      while view
      do (when (= (view-turn view) 1) ; debug output: "skirmish play --stderr" and replays show it
           (format *error-output* "I have ~d soldiers~%" (length (view-soldiers view))))
         (answer (think view)))
