// Editor support for each language: file extension, words for completion, and highlighting, loaded
// on demand.
import type { Extension } from '@codemirror/state';

export interface LanguageSupport {
  endings: string[]; // file extensions; new files get the first
  comment: string;
  words: string; // for completion, in addition to those of the language's module
  load: () => Promise<Extension>;
}

/** A legacy CodeMirror mode. */
async function stream(mode: Promise<any>, name: string, comment: string): Promise<Extension> {
  const [{ StreamLanguage }, modes] = await Promise.all([import('@codemirror/language'), mode]);
  return StreamLanguage.define({
    ...modes[name],
    languageData: { ...modes[name].languageData, commentTokens: { line: comment } },
  });
}

const C_WORDS = `
  auto break case char const continue default do double else enum extern float for goto if int
  long return short signed sizeof static struct switch typedef union unsigned void while bool true
  false NULL size_t int32_t int64_t uint32_t uint64_t printf fprintf fflush stdin stdout stderr
  fgets getline scanf sscanf malloc calloc realloc free strcmp strncmp strlen strchr strtok memcpy
  memset atoi strtol qsort abs`;

// Keyed by the arena's language names.
export const languageSupport: Record<string, LanguageSupport> = {
  python: {
    endings: ['.py'],
    comment: '#',
    words: '',
    load: async () => (await import('@codemirror/lang-python')).python(),
  },
  javascript: {
    endings: ['.js', '.mjs', '.cjs'],
    comment: '//',
    words: `
      console process require readline createInterface stdin stdout stderr write JSON parse
      stringify Math Map Set Array Object Number String Promise length push slice filter map
      reduce find some every sort includes indexOf split join trim forEach`,
    load: async () => (await import('@codemirror/lang-javascript')).javascript(),
  },
  ruby: {
    endings: ['.rb'],
    comment: '#',
    words: `
      BEGIN END alias and begin break case class def defined? do else elsif end ensure false for
      if in loop module next nil not or redo rescue retry return self super then true undef unless
      until when while yield require puts print warn gets STDIN STDERR $stdin $stdout $stderr sync
      each each_with_index map select reject min_by max_by sort_by include? empty? first last push
      length split strip to_i to_s`,
    load: () => stream(import('@codemirror/legacy-modes/mode/ruby'), 'ruby', '#'),
  },
  java: {
    endings: ['.java'],
    comment: '//',
    words: `
      abstract boolean break byte case catch char class continue default do double else enum
      extends final finally float for if implements import instanceof int interface long new null
      package private protected public return short static super switch this throw throws try void
      while record var true false String System Integer List ArrayList Map HashMap Set HashSet
      Math Scanner BufferedReader InputStreamReader StringBuilder println printf flush`,
    load: async () => (await import('@codemirror/lang-java')).java(),
  },
  c: {
    endings: ['.c'],
    comment: '//',
    words: C_WORDS,
    load: async () => (await import('@codemirror/lang-cpp')).cpp(),
  },
  'c++': {
    endings: ['.cpp', '.cc', '.cxx'],
    comment: '//',
    words:
      C_WORDS +
      `
      class constexpr delete explicit friend namespace new noexcept nullptr operator override
      private protected public template this throw try catch typename using virtual std string
      vector map set unordered_map unordered_set pair tuple queue deque optional cin cout cerr
      endl getline min max sort push_back emplace_back begin size empty stoi to_string`,
    load: async () => (await import('@codemirror/lang-cpp')).cpp(),
  },
  go: {
    endings: ['.go'],
    comment: '//',
    words: `
      append bool byte bufio cap copy delete encoding error false float64 fmt int int64 json len
      make map nil os panic rune sort string strings strconv true Fprintln Println Printf Fprintf
      NewScanner NewReader Scan Text Unmarshal Marshal Stdin Stdout Stderr Atoi`,
    load: async () => (await import('@codemirror/lang-go')).go(),
  },
  lua: {
    endings: ['.lua'],
    comment: '--',
    words: `
      and break do else elseif end false for function goto if in local nil not or repeat return
      then true until while io read write lines stdin stdout stderr flush string table math ipairs
      pairs tonumber tostring insert remove sort concat format match gmatch gsub sub floor random
      huge`,
    load: () => stream(import('@codemirror/legacy-modes/mode/lua'), 'lua', '--'),
  },
  perl: {
    endings: ['.pl'],
    comment: '#',
    words: `
      and bless close defined delete die do each else elsif exists for foreach grep if join keys
      last local map my next no not open or our package pop print printf push qw redo ref require
      return reverse scalar shift sort splice split sprintf strict sub substr undef unless unshift
      until use values warn warnings while STDIN STDOUT STDERR`,
    load: () => stream(import('@codemirror/legacy-modes/mode/perl'), 'perl', '#'),
  },
  rust: {
    endings: ['.rs'],
    comment: '//',
    words: `
      as async await break const continue crate dyn else enum extern false fn for if impl in let
      loop match mod move mut pub ref return self Self static struct super trait true type unsafe
      use where while bool char f64 i32 i64 str u8 u32 u64 usize Box Option Some None Result Ok Err
      String Vec HashMap HashSet VecDeque println eprintln print format vec std io stdin stdout
      read_line flush unwrap iter collect map filter min_by_key len push insert contains to_string`,
    load: () => stream(import('@codemirror/legacy-modes/mode/rust'), 'rust', '//'),
  },
  haskell: {
    endings: ['.hs'],
    comment: '--',
    words: `
      case class data deriving do else if import in infix instance let module newtype of then type
      where Bool Char Double Int Integer String Maybe Just Nothing Either Left Right IO True False
      Map Set getLine putStrLn hPutStrLn hFlush stdin stdout stderr isEOF words unwords lines
      unlines read show map filter foldr foldl concatMap zip sortOn minimumBy comparing fmap mapM_
      return pure`,
    load: () => stream(import('@codemirror/legacy-modes/mode/haskell'), 'haskell', '--'),
  },
  lisp: {
    endings: ['.lisp', '.lsp'],
    comment: ';',
    words: `
      and append aref car case cdr cond cons defconstant defmacro defparameter defstruct defun
      defvar destructuring-bind do dolist dotimes eql equal finish-output first format funcall
      gethash if lambda length let list loop make-array make-hash-table mapcar max min
      multiple-value-bind nil not or parse-integer position progn push read-line remove-if-not
      return second setf sort string= subseq t third unless values when with-open-file`,
    load: () => stream(import('@codemirror/legacy-modes/mode/commonlisp'), 'commonLisp', ';'),
  },
};
