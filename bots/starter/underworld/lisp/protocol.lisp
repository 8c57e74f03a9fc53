;;; How a bot for Underworld talks to the referee. You need not change this file.
;;;
;;; The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
;;;     10 10 2 0                 columns, rows, players, your number
;;; and then a view in every turn:
;;;     money 3000
;;;     0 0 0 C 10000             x, y, owner, kind, hitpoints
;;;     0 1 0 B 1500
;;;     end
;;; After the last turn, it sends the line "gg" instead of a view. An answer is any number of
;;; commands, followed by "end":
;;;     build 1 0 F
;;;     spawn 0 1 E
;;;     move 1 1 S

(defstruct command
  verb                                  ; build, spawn or move
  at
  what)                                 ; the building, or the direction

(defstruct thing at owner kind hitpoints)
(defstruct view turn columns rows players me money things)

(defun words (line)
  (flet ((space-p (char) (find char '(#\Space #\Tab #\Return))))
    (loop for start = (position-if-not #'space-p line)
            then (position-if-not #'space-p line :start end)
          for end = (and start (or (position-if #'space-p line :start start) (length line)))
          while start
          collect (subseq line start end))))

(defvar *turn* 0)
(defvar *start* nil "Columns, rows, players and our number.")

(defun next-line ()
  (read-line *standard-input* nil))

(defun thing (words)
  (destructuring-bind (x y owner kind hitpoints &rest new) words
    (declare (ignore new))
    (make-thing :at (list (parse-integer x) (parse-integer y))
                :owner (parse-integer owner)
                :kind (char kind 0)
                :hitpoints (parse-integer hitpoints))))

(defun view (money things)
  (destructuring-bind (columns rows players me &rest new) *start*
    (declare (ignore new))
    (make-view :turn (incf *turn*) :columns columns :rows rows :players players :me me
               :money money :things things)))

(defun next-view ()
  "The next view of the match; nil when the match has ended."
  (when (zerop *turn*)
    (next-line)
    (write-line "crayfish")
    (finish-output)
    (setf *start* (mapcar #'parse-integer (words (or (next-line) "")))))
  (loop with money = 0
        with things = '()
        for line = (next-line)
        for words = (words (or line "gg"))
        for kind = (first words)
        until (string= kind "gg")
        do (cond ((string= kind "money") (setf money (parse-integer (second words))))
                 ((string= kind "end") (return (view money (nreverse things))))
                 ((digit-char-p (char kind 0)) (push (thing words) things)))))

(defun answer (commands)
  "Sends the answer to the last view."
  (dolist (command commands)
    (format t "~a ~{~d ~d~} ~a~%" (command-verb command) (command-at command)
            (command-what command)))
  (write-line "end")
  (finish-output))
