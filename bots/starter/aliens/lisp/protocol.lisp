;;; How a bot for Aliens talks to the referee. You need not change this file.
;;;
;;; A view is one line of JSON:
;;;     {"player":"a","state":{"rows":20,"cols":20,
;;;      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
;;;      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
;;; An answer is a JSON array:
;;;     [{"from":21,"to":22},{"from":40,"to":60}]

(load (merge-pathnames "json.lisp" *load-truename*))

(defstruct move
  from                                  ; a square with one of your units
  to)                                   ; an adjacent square

(defstruct player
  letter
  energy                                ; for units that will appear at the spawn
  spawn
  spawn-destroyed)

(defstruct view turn rows cols grid me enemy)

(defun player (letter entry)
  (make-player :letter letter
               :energy (field entry "food")
               :spawn (field entry "spawn")
               :spawn-destroyed (field entry "spawnDisabled")))

(defun next-view ()
  "The next view of the match; nil when the match has ended."
  (let ((line (read-line *standard-input* nil)))
    (when line
      (let* ((message (with-input-from-string (in line) (read-json in)))
             (state (field message "state"))
             (a (player #\a (field state "p1")))
             (b (player #\b (field state "p2")))
             (first (string= (field message "player") "a")))
        (make-view :turn (1+ (field state "turnsElapsed"))
                   :rows (field state "rows")
                   :cols (field state "cols")
                   :grid (field state "grid")
                   :me (if first a b)
                   :enemy (if first b a))))))

(defun answer (moves)
  "Sends the answer to the last view."
  (format t "[~{~a~^,~}]~%"
          (loop for move in moves
                collect (format nil "{\"from\":~d,\"to\":~d}" (move-from move) (move-to move))))
  (finish-output))
