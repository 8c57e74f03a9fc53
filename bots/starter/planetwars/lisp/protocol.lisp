;;; How a bot for Planet Wars talks to the referee. You need not change this file.
;;;
;;; A view is one line of JSON. The bot is always player 1 in it; neutral planets have owner null:
;;;     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
;;;      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
;;;                      "owner":2,"turns_remaining":11}, ...]}
;;; An answer is also one line of JSON. Without moves: {"moves":[]}
;;;     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}

(load (merge-pathnames "json.lisp" *load-truename*))

(defstruct move origin destination ships)
(defstruct planet
  name x y
  owner                                 ; 1: you; 0: nobody
  ships)
(defstruct expedition id origin destination owner ships turns-remaining)
(defstruct view turn planets expeditions)

(defvar *turn* 0)

(defun planet (entry)
  (make-planet :name (field entry "name")
               :x (coerce (field entry "x") 'double-float)
               :y (coerce (field entry "y") 'double-float)
               :owner (or (field entry "owner") 0)
               :ships (field entry "ship_count")))

(defun expedition (entry)
  (make-expedition :id (field entry "id")
                   :origin (field entry "origin")
                   :destination (field entry "destination")
                   :owner (field entry "owner")
                   :ships (field entry "ship_count")
                   :turns-remaining (field entry "turns_remaining")))

(defun next-view ()
  "The next view of the match; nil when the match has ended."
  (let ((line (read-line *standard-input* nil)))
    (when line
      (let ((message (with-input-from-string (in line) (read-json in))))
        (make-view :turn (incf *turn*)
                   :planets (mapcar #'planet (field message "planets"))
                   :expeditions (mapcar #'expedition (field message "expeditions")))))))

(defun quoted (text)
  "A string in JSON."
  (with-output-to-string (out)
    (write-char #\" out)
    (loop for char across text
          do (if (or (char< char #\Space) (find char "\"\\"))
                 (format out "\\u~4,'0x" (char-code char))
                 (write-char char out)))
    (write-char #\" out)))

(defun answer (moves)
  "Sends the answer to the last view."
  (format t "{\"moves\":[~{~a~^,~}]}~%"
          (loop for move in moves
                collect (format nil "{\"origin\":~a,\"destination\":~a,\"ship_count\":~d}"
                                (quoted (move-origin move))
                                (quoted (move-destination move))
                                (move-ships move))))
  (finish-output))
