;;; How a bot for Footsoldiers talks to the referee. You need not change this file.
;;;
;;; The bot prints "Ready". Then each view is one line of JSON:
;;;     {"you":"player1","turns-remaining":99,
;;;      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
;;;             {"type":"Rock","position":{"x":4,"y":0}},
;;;             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
;;;              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
;;;      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
;;; An answer is one line with one command:
;;;     Build Scout (2, 3) (65, 3) Right
;;;     Move (6, 1) to (9, 5)
;;;     Change attack direction (6, 1) to Left
;;;     No-op

(load (merge-pathnames "json.lisp" *load-truename*))

(defstruct player team money base health)
;;; Rocks have no team, and only soldiers have health, destination and direction: nil.
(defstruct thing type at team health destination direction)
(defstruct view turn turns-remaining me enemy map)

;;; The commands as they are sent.

(defparameter *no-op* "No-op")

(defun build (kind at destination direction)
  (format nil "Build ~a (~{~d~^, ~}) (~{~d~^, ~}) ~a" kind at destination direction))

(defun move (soldier destination)
  (format nil "Move (~{~d~^, ~}) to (~{~d~^, ~})" soldier destination))

(defun turn (soldier direction)
  (format nil "Change attack direction (~{~d~^, ~}) to ~a" soldier direction))

;;; Views and answers.

(defvar *turn* 0)

(defun square (position)
  (when position
    (list (field position "x") (field position "y"))))

(defun player (entry)
  (make-player :team (field entry "team")
               :money (field entry "money")
               :base (square (field entry "base"))
               :health (field entry "health")))

(defun thing (entry)
  (make-thing :type (field entry "type")
              :at (square (field entry "position"))
              :team (field entry "team")
              :health (field entry "health")
              :destination (square (field entry "destination"))
              :direction (field entry "attack-direction")))

(defun answer (command)
  "Sends the answer to the last view."
  (write-line command)
  (finish-output))

(defun next-view ()
  "The next view of the match; nil when the match has ended."
  (when (zerop *turn*)
    (answer "Ready"))
  (let ((line (read-line *standard-input* nil)))
    (when line
      (let* ((message (with-input-from-string (in line) (read-json in)))
             (one (player (field message "player1")))
             (two (player (field message "player2")))
             (first (string= (field message "you") "player1")))
        (make-view :turn (incf *turn*)
                   :turns-remaining (field message "turns-remaining")
                   :me (if first one two)
                   :enemy (if first two one)
                   :map (mapcar #'thing (field message "map")))))))
