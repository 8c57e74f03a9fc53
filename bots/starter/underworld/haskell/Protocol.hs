-- How a bot for Underworld talks to the referee. You need not change this file.
--
-- The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
--     10 10 2 0                 columns, rows, players, your number
-- and then a view in every turn:
--     money 3000
--     0 0 0 C 10000             x, y, owner, kind, hitpoints
--     0 1 0 B 1500
--     end
-- After the last turn, it sends the line "gg" instead of a view. An answer is any number of
-- commands, followed by "end":
--     build 1 0 F
--     spawn 0 1 E
--     move 1 1 S
module Protocol (Cell, Command (..), Thing (..), View (..), views, answer) where

import Data.Char (isDigit)
import System.IO (hFlush, stdout)

type Cell = (Int, Int)

-- | The verb is build, spawn or move; what is the building, or the direction.
data Command = Command {commandVerb :: String, commandAt :: Cell, commandWhat :: Char}

data Thing = Thing
  { thingAt :: Cell,
    thingOwner :: Int,
    thingKind :: Char,
    thingHitpoints :: Int
  }

data View = View
  { viewTurn :: Int,
    viewColumns :: Int,
    viewRows :: Int,
    viewPlayers :: Int,
    viewMe :: Int,
    viewMoney :: Int,
    viewThings :: [Thing]
  }

-- | The views of the match. The list is lazy: each is read when it is needed.
views :: IO [View]
views = do
  input <- map words . lines <$> getContents
  case input of
    _ : afterQuestion -> do
      send ["crayfish"]
      return $ case afterQuestion of
        start : turns -> zipWith (toView (map read start)) [1 ..] (blocks turns)
        [] -> []
    [] -> return []

-- | The lines up to each "end", until the match ends.
blocks :: [[String]] -> [[[String]]]
blocks input = case break (`elem` [["end"], ["gg"]]) input of
  (block, ["end"] : rest) -> block : blocks rest
  _ -> []

toView :: [Int] -> Int -> [[String]] -> View
toView start turn block = case start of
  columns : rows : players : me : _ -> View turn columns rows players me money things
  _ -> error "the first line has the columns, the rows, the players and the number"
  where
    money = head [read amount | "money" : amount : _ <- block]
    things =
      [ Thing (read x, read y) (read owner) (head kind) (read hitpoints)
        | x : y : owner : kind : hitpoints : _ <- block,
          all isDigit x
      ]

-- | Sends the answer to the last view.
answer :: [Command] -> IO ()
answer commands = send (map text commands ++ ["end"])
  where
    text (Command verb (x, y) what) = unwords [verb, show x, show y, [what]]

send :: [String] -> IO ()
send sent = do
  putStr (unlines sent)
  hFlush stdout
