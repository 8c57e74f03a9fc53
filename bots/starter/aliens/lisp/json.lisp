;;; A small JSON reader for views. You need not change this file.
;;;
;;; Objects become association lists, arrays become lists, and null and false become nil.

(defun skip-spaces (in)
  (peek-char t in))

(defun read-json-string (in)
  (read-char in)
  (with-output-to-string (out)
    (loop for char = (read-char in)
          until (char= char #\")
          do (write-char (if (char= char #\\) (read-escaped in) char) out))))

(defun read-code (in)
  (parse-integer (coerce (loop repeat 4 collect (read-char in)) 'string) :radix 16))

(defun read-escaped (in)
  (let ((char (read-char in)))
    (case char
      (#\b #\Backspace)
      (#\f #\Page)
      (#\n #\Newline)
      (#\r #\Return)
      (#\t #\Tab)
      (#\u (let ((code (read-code in)))
             (when (<= #xD800 code #xDBFF) ; half a character; "\u" and the other half follow
               (read-char in)
               (read-char in)
               (setf code (+ #x10000 (* (- code #xD800) #x400) (- (read-code in) #xDC00))))
             (code-char code)))
      (t char))))

(defun read-json-word (in)
  (let ((word (with-output-to-string (out)
                (loop for char = (peek-char nil in nil #\,)
                      until (find char '(#\, #\] #\} #\Space #\Tab #\Return))
                      do (write-char (read-char in) out)))))
    (cond ((string= word "true") t)
          ((or (string= word "false") (string= word "null")) nil)
          (t (let ((*read-default-float-format* 'double-float))
               (read-from-string word))))))

(defun read-json-list (in end read-element)
  (read-char in)
  (loop until (char= (skip-spaces in) end)
        do (when (char= (peek-char nil in) #\,)
             (read-char in)
             (skip-spaces in))
        collect (funcall read-element in)
        finally (read-char in)))

(defun read-json (in)
  (case (skip-spaces in)
    (#\" (read-json-string in))
    (#\[ (read-json-list in #\] #'read-json))
    (#\{ (read-json-list in #\} #'read-json-member))
    (t (read-json-word in))))

(defun read-json-member (in)
  (let ((name (read-json-string in)))
    (skip-spaces in)
    (read-char in)                      ; the colon
    (cons name (read-json in))))

(defun field (object name)
  "The member of an object; nil if there is none."
  (cdr (assoc name object :test #'string=)))
