-- How a bot for Footsoldiers talks to the referee. You need not change this file.
--
-- The bot prints "Ready". Then each view is one line of JSON:
--     {"you":"player1","turns-remaining":99,
--      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
--             {"type":"Rock","position":{"x":4,"y":0}},
--             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
--              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
--      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
-- An answer is one line with one command:
--     Build Scout (2, 3) (65, 3) Right
--     Move (6, 1) to (9, 5)
--     Change attack direction (6, 1) to Left
--     No-op
module Protocol (Square, Command (..), Player (..), Thing (..), View (..), views, answer) where

import Json
import System.IO (hFlush, hSetEncoding, stdin, stdout, utf8)

type Square = (Int, Int)

data Command
  = Build String Square Square String
  | Move Square Square
  | Turn Square String
  | NoOp

data Player = Player
  { playerTeam :: String,
    playerMoney :: Int,
    playerBase :: Square,
    playerHealth :: Int
  }

-- | Rocks have no team, and only soldiers have health, destination and direction.
data Thing = Thing
  { thingType :: String,
    thingAt :: Square,
    thingTeam :: Maybe String,
    thingHealth :: Maybe Int,
    thingDestination :: Maybe Square,
    thingDirection :: Maybe String
  }

data View = View
  { viewTurn :: Int,
    viewTurnsRemaining :: Int,
    viewMe :: Player,
    viewEnemy :: Player,
    viewMap :: [Thing]
  }

-- | The views of the match. The list is lazy: each is read when it is needed.
views :: IO [View]
views = do
  hSetEncoding stdin utf8
  send "Ready"
  zipWith toView [1 ..] . map parse . lines <$> getContents

toView :: Int -> Json -> View
toView turn message = View turn remaining (player me) (player enemy) things
  where
    remaining = integer (field "turns-remaining" message)
    isFirst = string (field "you" message) == "player1"
    (me, enemy) = if isFirst then ("player1", "player2") else ("player2", "player1")
    player name = toPlayer (field name message)
    things = map toThing (elements (field "map" message))

toPlayer :: Json -> Player
toPlayer entry = Player (string (field "team" entry)) (number "money") base (number "health")
  where
    number name = integer (field name entry)
    base = square (field "base" entry)

toThing :: Json -> Thing
toThing entry =
  Thing
    { thingType = string (field "type" entry),
      thingAt = square (field "position" entry),
      thingTeam = string <$> optional "team",
      thingHealth = integer <$> optional "health",
      thingDestination = square <$> optional "destination",
      thingDirection = string <$> optional "attack-direction"
    }
  where
    optional name = case field name entry of
      Null -> Nothing
      value -> Just value

square :: Json -> Square
square position = (integer (field "x" position), integer (field "y" position))

-- | Sends the answer to the last view.
answer :: Command -> IO ()
answer command = send $ case command of
  Build kind at destination direction ->
    unwords ["Build", kind, text at, text destination, direction]
  Move soldier destination -> unwords ["Move", text soldier, "to", text destination]
  Turn soldier direction -> unwords ["Change attack direction", text soldier, "to", direction]
  NoOp -> "No-op"
  where
    text (x, y) = "(" ++ show x ++ ", " ++ show y ++ ")"

send :: String -> IO ()
send line = do
  putStrLn line
  hFlush stdout
