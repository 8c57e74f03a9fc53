-- A small JSON reader for views. You need not change this file.
module Json (Json (..), parse, field, elements, string, integer) where

import Data.Bifunctor (first)
import Data.Char (chr, digitToInt, isSpace)
import Data.Maybe (fromMaybe)
import Text.Read (readMaybe)

data Json
  = Null
  | Bool Bool
  | Number Double
  | Text String
  | Array [Json]
  | Object [(String, Json)]

parse :: String -> Json
parse = fst . parseValue

-- | A value, and the text after it.
parseValue :: String -> (Json, String)
parseValue text = case dropWhile isSpace text of
  '{' : rest -> first Object (parseMembers rest)
  '[' : rest -> first Array (parseItems rest)
  '"' : rest -> first Text (parseString rest)
  rest -> first parseWord (span (`notElem` ",]} \t\r\n") rest)

-- | Skips spaces and separators.
skip :: String -> String
skip = dropWhile (\c -> isSpace c || c `elem` ",:")

parseItems :: String -> ([Json], String)
parseItems text = case skip text of
  ']' : rest -> ([], rest)
  rest ->
    let (item, afterItem) = parseValue rest
     in first (item :) (parseItems afterItem)

parseMembers :: String -> ([(String, Json)], String)
parseMembers text = case skip text of
  '"' : rest ->
    let (name, afterName) = parseString rest
        (value, afterValue) = parseValue (skip afterName)
     in first ((name, value) :) (parseMembers afterValue)
  rest -> ([], drop 1 rest)

parseString :: String -> (String, String)
parseString text = case text of
  '\\' : 'u' : rest -> unescapeCode (splitAt 4 rest)
  '\\' : c : rest -> first (fromMaybe c (lookup c escapes) :) (parseString rest)
  '"' : rest -> ("", rest)
  c : rest -> first (c :) (parseString rest)
  "" -> ("", "")
  where
    escapes = zip "bfnrt" "\b\f\n\r\t"

-- | A character may be written as two codes of four digits.
unescapeCode :: (String, String) -> (String, String)
unescapeCode (digits, rest) = case (code digits, rest) of
  (high, '\\' : 'u' : low)
    | high >= 0xD800 && high < 0xDC00 ->
      let (lowDigits, afterLow) = splitAt 4 low
          whole = 0x10000 + (high - 0xD800) * 0x400 + code lowDigits - 0xDC00
       in first (chr whole :) (parseString afterLow)
  (single, _) -> first (chr single :) (parseString rest)
  where
    code = foldl (\number digit -> number * 16 + digitToInt digit) 0

parseWord :: String -> Json
parseWord "true" = Bool True
parseWord "false" = Bool False
parseWord word = maybe Null Number (readMaybe word)

-- | The member of an object.
field :: String -> Json -> Json
field name (Object members) = fromMaybe Null (lookup name members)
field _ _ = Null

elements :: Json -> [Json]
elements (Array items) = items
elements _ = []

string :: Json -> String
string (Text text) = text
string _ = ""

integer :: Json -> Int
integer (Number value) = round value
integer _ = 0
