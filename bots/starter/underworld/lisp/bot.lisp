;;; A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
;;;
;;;     skirmish play underworld --map duel --watch . house:random
;;;
;;; Each turn, THINK gets a view. Cells are lists (x y):
;;;     view-turn                   the number of the turn, from 1
;;;     view-columns, view-rows     the size of the board
;;;     view-players, view-me       how many players there are, and your number, from 0
;;;     view-money                  what you can spend
;;;     view-things                 what you see: thing-at, thing-owner, thing-hitpoints and
;;;                                 thing-kind (#\C castle, #\B barracks, #\F farm, #\W warrior,
;;;                                 #\# wall)
;;; and returns any number of commands:
;;;     (make-command :verb "build" :at '(1 0) :what #\F)   a farm or barracks, within distance 2
;;;                                                         of your buildings
;;;     (make-command :verb "spawn" :at '(0 1) :what #\E)   the barracks spawns a warrior east
;;;     (make-command :verb "move" :at '(1 1) :what #\S)    the warrior moves south; it strikes
;;;                                                         automatically

(load (merge-pathnames "protocol.lisp" *load-truename*))

;;; The lines to change first: how many farms to build, and how many warriors before they attack.
(defparameter *farms* 3)
(defparameter *army* 4)
(defparameter *farm-cost* 1000)
(defparameter *warrior-cost* 500)
(defparameter *reach* 4)      ; range of warriors and of building: distance 2, squared

(defun apart (a b)
  "The squared distance."
  (+ (expt (- (first a) (first b)) 2) (expt (- (second a) (second b)) 2)))

(defun near-p (cell others)
  (some (lambda (other) (<= (apart cell other) *reach*)) others))

(defun best (list cost)
  "The element with the smallest cost; on a tie, the first one; nil if there is none."
  (when list
    (reduce (lambda (a b) (if (< (funcall cost b) (funcall cost a)) b a)) list)))

(defun neighbours (view cell)
  "The adjacent cells, each after the letter of its direction, as lists (letter x y)."
  (loop for (letter . offset) in '((#\N 0 -1) (#\S 0 1) (#\E 1 0) (#\W -1 0))
        for (x y) = (mapcar #'+ cell offset)
        when (and (< -1 x (view-columns view)) (< -1 y (view-rows view)))
          collect (list letter x y)))

(defun distances (view goal closed)
  "The steps to the goal from every cell that can reach it, as a hash table."
  (let ((far (make-hash-table :test #'equal))
        (edge (list goal)))
    (setf (gethash goal far) 0)
    (loop for steps from 1
          while edge
          do (let ((next '()))
               (dolist (cell edge)
                 (loop for (nil . to) in (neighbours view cell)
                       unless (or (gethash to far) (member to closed :test #'equal))
                         do (setf (gethash to far) steps)
                            (push to next)))
               (setf edge next)))
    far))

(defun cells (view kind mine)
  (loop for thing in (view-things view)
        when (and (char= (thing-kind thing) kind)
                  (eq (= (thing-owner thing) (view-me view)) mine))
          collect (thing-at thing)))

(defun think (view)
  "The commands of this turn. The whole strategy is here."
  (let* ((money (view-money view))
         (barracks (cells view #\B t))
         (farms (cells view #\F t))
         (warriors (cells view #\W t))
         (threats (cells view #\W nil))
         (home (first (cells view #\C t)))
         (across (list (- (view-columns view) 1 (first home)) ; if we see no enemy castle
                       (- (view-rows view) 1 (second home))))
         (goal (or (best (cells view #\C nil) (lambda (cell) (apart cell home))) across))
         (buildings (cons home (append barracks farms)))
         ;; Only walls and our own buildings block the way: we destroy those of the enemies.
         (far (distances view goal (append (cells view #\# nil) buildings)))
         (taken (mapcar #'thing-at (view-things view)))
         (commands '()))
    (labels ((steps-from (cell)
               (gethash cell far))
             (free-p (cell)
               (not (member cell taken :test #'equal)))
             (next-step (cell)
               ;; The free neighbour that is nearest to the goal, after its direction.
               (best (remove-if-not (lambda (way) (and (free-p (rest way)) (steps-from (rest way))))
                                    (neighbours view cell))
                     (lambda (way) (steps-from (rest way)))))
             (order (verb cell what)
               (push (make-command :verb verb :at cell :what what) commands)))
      ;; Warriors in front move first and make room for the next.
      (dolist (cell (stable-sort (remove-if-not #'steps-from warriors) #'< :key #'steps-from))
        (let ((fights (near-p cell threats))
              (waits (and (< (length warriors) *army*) (not (near-p cell buildings))))
              (step (next-step cell)))
          (when (and step
                     (< (steps-from (rest step)) (steps-from cell))
                     (not fights)
                     (not waits))
            (setf taken (cons (rest step) (remove cell taken :test #'equal)))
            (order "move" cell (first step)))))
      (when (and (< (length farms) *farms*) (>= money *farm-cost*))
        ;; The cells around barracks are left free for warriors.
        (let* ((ways (loop for cell in barracks append (neighbours view cell)))
               (doors (mapcar #'rest ways))
               (board (loop for y below (view-rows view)
                            nconc (loop for x below (view-columns view) collect (list x y))))
               (sites (remove-if-not (lambda (cell)
                                       (and (near-p cell buildings)
                                            (free-p cell)
                                            (not (member cell doors :test #'equal))))
                                     board))
               (site (best sites (lambda (cell) (apart cell home)))))
          (when site
            (push site taken)
            (decf money *farm-cost*)
            (order "build" site #\F))))
      (dolist (cell barracks)
        (let ((step (next-step cell)))
          (when (and step (>= money *warrior-cost*))
            (push (rest step) taken)
            (decf money *warrior-cost*)
            (order "spawn" cell (first step))))))
    (nreverse commands)))

;;; The main loop: answer every view until the match ends.
(loop for view = (next-view)
      while view
      do (when (= (view-turn view) 1) ; debug output: "skirmish play --stderr" and replays show it
           (format *error-output* "I am player ~d of ~d~%" (view-me view) (view-players view)))
         (answer (think view)))
