;;; How a bot for Capture the flag talks to the referee. You need not change this file.
;;;
;;; The input starts with the team's letter, the map and an empty line. Then a view per round:
;;;     0 0                            our points, theirs
;;;     Flag 1 5                       where our flag is
;;;     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
;;;     Grenade 10 7 2                 ours: x, y, rounds left
;;;     EnemyFlag 13 9
;;;     Enemy L 11 8 True No           name, x, y, alive, flag
;;;     (an empty line)
;;; An answer is a line per order and an empty line:
;;;     X D (10,7)

(defstruct order
  name                                  ; of the soldier
  step                                  ; U, D, L, R or S
  target)                               ; the square to throw a grenade at, or nil

(defstruct soldier name at cooldown alive carries-flag)
(defstruct enemy name at alive carries-flag)
(defstruct grenade at countdown)
(defstruct view
  turn map base spawn points enemy-points flag enemy-flag soldiers grenades enemies)

(defun words (line)
  (flet ((space-p (char) (find char '(#\Space #\Tab #\Return))))
    (loop for start = (position-if-not #'space-p line)
            then (position-if-not #'space-p line :start end)
          for end = (and start (or (position-if #'space-p line :start start) (length line)))
          while start
          collect (subseq line start end))))

(defun read-block ()
  "The lines up to an empty line, as lists of words; nil at the end of the input."
  (let ((block '()))
    (loop for line = (read-line *standard-input* nil)
          while line
          do (let ((words (words line)))
               (if words
                   (push words block)
                   (return (nreverse block)))))))

(defun square (x y)
  (list (parse-integer x) (parse-integer y)))

(defun find-tile (map tile)
  (loop for row in map
        for y from 0
        for x = (position tile row)
        when x
          return (list x y)))

(defun add-line (view words)
  "Adds what a line says to the view."
  (destructuring-bind (kind a b &optional c d e f &rest new) words
    (declare (ignore new))
    (cond ((string= kind "Flag")
           (setf (view-flag view) (square a b)))
          ((string= kind "EnemyFlag")
           (setf (view-enemy-flag view) (square a b)))
          ((string= kind "Soldier")
           (push (make-soldier :name a :at (square b c) :cooldown (parse-integer d)
                               :alive (string= e "True") :carries-flag (string/= f "No"))
                 (view-soldiers view)))
          ((string= kind "Grenade")
           (push (make-grenade :at (square a b) :countdown (parse-integer c))
                 (view-grenades view)))
          ((string= kind "Enemy")
           (push (make-enemy :name a :at (square b c)
                             :alive (string= d "True") :carries-flag (string/= e "No"))
                 (view-enemies view))))))

(defvar *team* nil "Our letter.")
(defvar *map* nil)
(defvar *turn* 0)

(defun next-view ()
  "The next view of the match; nil when the match has ended."
  (unless *map*
    (let ((start (mapcar #'first (read-block))))
      (when start
        (setf *team* (char (first start) 0)
              *map* (rest start)))))
  (let ((block (read-block)))
    (when block
      (destructuring-bind ((points enemy-points &rest new) &rest lines) block
        (declare (ignore new))
        (let ((view (make-view :turn (incf *turn*)
                               :map *map*
                               :base (find-tile *map* (char-downcase *team*))
                               :spawn (find-tile *map* *team*)
                               :points (parse-integer points)
                               :enemy-points (parse-integer enemy-points))))
          (dolist (words lines)
            (add-line view words))
          (setf (view-soldiers view) (nreverse (view-soldiers view))
                (view-grenades view) (nreverse (view-grenades view))
                (view-enemies view) (nreverse (view-enemies view)))
          view)))))

(defun answer (orders)
  "Sends the answer to the last view."
  (dolist (order orders)
    (format t "~a ~a~@[ (~{~d~^,~})~]~%" (order-name order) (order-step order)
            (order-target order)))
  (terpri)
  (finish-output))
