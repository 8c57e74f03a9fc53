;;; A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
;;;
;;;     skirmish play planetwars --watch . house:random
;;;
;;; Each turn, THINK gets a view:
;;;     view-turn          the number of the turn, from 1
;;;     view-planets       planet-name, -x, -y, -owner (1: you, 2 and more: enemies, 0: nobody),
;;;                        -ships
;;;     view-expeditions   fleets under way; expedition-id, -origin and -destination (names of
;;;                        planets), -owner, -ships, -turns-remaining
;;; and returns the moves, each a fleet from one of your planets to another planet:
;;;     (list (make-move :origin "protos" :destination "extos" :ships 6))

(load (merge-pathnames "protocol.lisp" *load-truename*))

;;; The lines to change first: how many ships a planet keeps at home, and by how many ships its
;;; fleets outnumber their targets.
(defparameter *garrison* 0)
(defparameter *spare* 1)

(defun turns (a b)
  "The travel time in turns."
  (let ((dx (- (planet-x a) (planet-x b)))
        (dy (- (planet-y a) (planet-y b))))
    (max 1 (ceiling (sqrt (+ (* dx dx) (* dy dy)))))))

(defun mine-p (planet)
  (= (planet-owner planet) 1))

(defun think (view)
  "The moves of this turn. The whole strategy is here."
  (let ((mine (remove-if-not #'mine-p (view-planets view)))
        (others (remove-if #'mine-p (view-planets view)))
        (ours (make-hash-table :test #'equal))   ; our ships under way to each planet
        (theirs (make-hash-table :test #'equal)) ; and those of the enemies
        (moves '()))
    (dolist (expedition (view-expeditions view))
      (incf (gethash (expedition-destination expedition)
                     (if (= (expedition-owner expedition) 1) ours theirs)
                     0)
            (expedition-ships expedition)))
    (dolist (origin mine (nreverse moves))
      ;; A planet under attack keeps the ships it needs.
      (let ((ships (- (planet-ships origin)
                      *garrison*
                      (gethash (planet-name origin) theirs 0))))
        (dolist (target (stable-sort (copy-list others) #'<
                                     :key (lambda (planet) (turns origin planet))))
          ;; An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
          (let* ((name (planet-name target))
                 (built (if (zerop (planet-owner target)) 0 (turns origin target)))
                 (needed (- (+ (planet-ships target) built (gethash name theirs 0) *spare*)
                            (gethash name ours 0))))
            (when (<= 1 needed ships)
              (decf ships needed)
              (incf (gethash name ours 0) needed)
              (push (make-move :origin (planet-name origin) :destination name :ships needed)
                    moves))))))))

;;; The main loop: answer every view until the match ends.
(loop for view = (next-view)
      while view
      do (when (= (view-turn view) 1) ; debug output: "skirmish play --stderr" and replays show it
           (format *error-output* "planets on this map: ~d~%" (length (view-planets view))))
         (answer (think view)))
