-- How a bot for Aliens talks to the referee. You need not change this file.
--
-- A view is one line of JSON:
--     {"player":"a","state":{"rows":20,"cols":20,
--      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
--      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
-- An answer is a JSON array:
--     [{"from":21,"to":22},{"from":40,"to":60}]
module Protocol (Move (..), Player (..), View (..), views, answer) where

import Data.List (intercalate)
import Json
import System.IO (hFlush, hSetEncoding, stdin, stdout, utf8)

-- | From a square with one of your units to an adjacent square.
data Move = Move {moveFrom :: Int, moveTo :: Int}

data Player = Player
  { playerLetter :: Char,
    -- | For units that will appear at the spawn.
    playerEnergy :: Int,
    playerSpawn :: Int,
    playerSpawnDestroyed :: Bool
  }

data View = View
  { viewTurn :: Int,
    viewRows :: Int,
    viewCols :: Int,
    viewGrid :: String,
    viewMe :: Player,
    viewEnemy :: Player
  }

-- | The views of the match. The list is lazy: each is read when it is needed.
views :: IO [View]
views = do
  hSetEncoding stdin utf8
  map (toView . parse) . lines <$> getContents

toView :: Json -> View
toView message =
  View
    { viewTurn = integer (field "turnsElapsed" state) + 1,
      viewRows = integer (field "rows" state),
      viewCols = integer (field "cols" state),
      viewGrid = string (field "grid" state),
      viewMe = if isFirst then a else b,
      viewEnemy = if isFirst then b else a
    }
  where
    state = field "state" message
    isFirst = string (field "player" message) == "a"
    a = toPlayer 'a' (field "p1" state)
    b = toPlayer 'b' (field "p2" state)

toPlayer :: Char -> Json -> Player
toPlayer letter entry = Player letter (number "food") (number "spawn") destroyed
  where
    number name = integer (field name entry)
    destroyed = case field "spawnDisabled" entry of
      Bool value -> value
      _ -> False

-- | Sends the answer to the last view.
answer :: [Move] -> IO ()
answer moves = do
  putStrLn ("[" ++ intercalate "," (map listed moves) ++ "]")
  hFlush stdout
  where
    listed (Move from to) = "{\"from\":" ++ show from ++ ",\"to\":" ++ show to ++ "}"
