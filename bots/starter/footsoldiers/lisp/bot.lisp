;;; A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
;;;
;;;     skirmish play footsoldiers --watch . house:random
;;;
;;; Each turn, THINK gets a view. Squares are lists (x y):
;;;     view-turn, view-turns-remaining   this turn, from 1; turns to play, including this one
;;;     view-me, view-enemy               the players: player-team ("player1"), player-money,
;;;                                       player-base, player-health
;;;     view-map                          everything on the field: thing-type, thing-at, thing-team;
;;;                                       the type is "Base", "Rock", "Scout", "Assassin" or "Tank";
;;;                                       soldiers also have thing-health, thing-destination and
;;;                                       thing-direction
;;; and returns one command:
;;;     (build "Scout" '(2 3) '(65 3) "Right")     place, destination, attack direction
;;;     (move '(6 1) '(9 5))                       where the soldier is, its new destination
;;;     (turn '(6 1) "Left")                       where the soldier is, its new direction
;;;     *no-op*

(load (merge-pathnames "protocol.lisp" *load-truename*))

;;; The line to change first: what to build, in this order, over and over.
(defparameter *plan* '("Scout" "Assassin" "Scout"))
(defparameter *cost* '(("Scout" . 10) ("Assassin" . 11) ("Tank" . 12)))
(defparameter *near* 5)                 ; maximum distance from the base to build
(defparameter *unreachable* 9999)

(defvar *far* nil
  "A hash table: steps to the enemy's base from every square. Computed in the first turn.")
(defvar *built* 0)

(defun apart (a b)
  (+ (abs (- (first a) (first b))) (abs (- (second a) (second b)))))

(defun around (square)
  (loop for offset in '((1 0) (0 1) (0 -1) (-1 0))
        collect (mapcar #'+ square offset)))

(defun steps-from (square)
  (gethash square *far* *unreachable*))

(defun nearest (squares)
  "The square with the fewest steps to go; on a tie, the first one; nil if there is none."
  (when squares
    (reduce (lambda (a b) (if (< (steps-from b) (steps-from a)) b a)) squares)))

(defun measure (view)
  "Fills *FAR*: from the enemy's base outwards, around the rocks, and also one square off the map."
  (let ((rocks (make-hash-table :test #'equal))
        (width (+ 2 (loop for thing in (view-map view) maximize (first (thing-at thing)))))
        (height (+ 2 (loop for thing in (view-map view) maximize (second (thing-at thing)))))
        (edge (list (player-base (view-enemy view)))))
    (dolist (thing (view-map view))
      (when (string= (thing-type thing) "Rock")
        (setf (gethash (thing-at thing) rocks) t)))
    (setf *far* (make-hash-table :test #'equal)
          (gethash (first edge) *far*) 0)
    (loop for steps from 1
          while edge
          do (let ((next '()))
               (dolist (at edge)
                 (dolist (to (around at))
                   (when (and (< -1 (first to) width)
                              (< -1 (second to) height)
                              (not (gethash to *far*))
                              (not (gethash to rocks)))
                     (setf (gethash to *far*) steps)
                     (push to next))))
               (setf edge next)))))

(defun waypoint (start)
  "How far a soldier can go without a detour: it gets stuck behind rocks."
  (loop with here = start
        for steps from 0
        for to = (nearest (around here))
        while (and (plusp (steps-from here)) (> (apart to start) steps))
        do (setf here to)
        finally (return here)))

(defun sites (view)
  "The free squares near our base."
  (let ((taken (mapcar #'thing-at (view-map view)))
        (home (player-base (view-me view))))
    (loop for dx from (- *near*) to *near*
          nconc (loop for dy from (- *near*) to *near*
                      for at = (mapcar #'+ home (list dx dy))
                      when (and (<= (apart at home) *near*)
                                (gethash at *far*)
                                (not (member at taken :test #'equal)))
                        collect at))))

(defun think (view)
  "The command of this turn. The whole strategy is here."
  (unless *far*
    (measure view))
  (let* ((me (view-me view))
         (kind (nth (mod *built* (length *plan*)) *plan*))
         (cost (cdr (assoc kind *cost* :test #'string=)))
         (at (when (>= (player-money me) cost) (nearest (sites view)))))
    (if at
        (let ((right (< (first (player-base me)) (first (player-base (view-enemy view))))))
          (incf *built*)
          (build kind at (waypoint at) (if right "Right" "Left")))
        ;; Nothing to build: guide a soldier that has arrived.
        (dolist (thing (view-map view) *no-op*)
          (let ((at (thing-at thing)))
            (when (and (thing-health thing)
                       (string= (thing-team thing) (player-team me))
                       (gethash at *far*)
                       (equal at (thing-destination thing))
                       (not (equal at (waypoint at))))
              (return (move at (waypoint at)))))))))

;;; The main loop: answer every view until the match ends.
(loop for view = (next-view)
      while view
      do (when (= (view-turn view) 1) ; debug output: "skirmish play --stderr" and replays show it
           (format *error-output* "building ~{~a~^ ~}~%" *plan*))
         (answer (think view)))
