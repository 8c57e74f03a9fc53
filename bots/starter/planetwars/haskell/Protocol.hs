-- How a bot for Planet Wars talks to the referee. You need not change this file.
--
-- A view is one line of JSON. The bot is always player 1 in it; neutral planets have owner null:
--     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
--      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
--                      "owner":2,"turns_remaining":11}, ...]}
-- An answer is also one line of JSON. Without moves: {"moves":[]}
--     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
module Protocol (Move (..), Planet (..), Expedition (..), View (..), views, answer) where

import Data.List (intercalate)
import Json
import System.IO (hFlush, hSetEncoding, stdin, stdout, utf8)
import Text.Printf (printf)

data Move = Move {moveOrigin :: String, moveDestination :: String, moveShips :: Int}

data Planet = Planet
  { planetName :: String,
    planetX :: Double,
    planetY :: Double,
    -- | 1: you; 0: nobody.
    planetOwner :: Int,
    planetShips :: Int
  }

data Expedition = Expedition
  { expeditionId :: Int,
    expeditionOrigin :: String,
    expeditionDestination :: String,
    expeditionOwner :: Int,
    expeditionShips :: Int,
    expeditionTurnsRemaining :: Int
  }

data View = View
  { viewTurn :: Int,
    viewPlanets :: [Planet],
    viewExpeditions :: [Expedition]
  }

-- | The views of the match. The list is lazy: each is read when it is needed.
views :: IO [View]
views = do
  hSetEncoding stdin utf8
  hSetEncoding stdout utf8
  zipWith toView [1 ..] . map parse . lines <$> getContents

toView :: Int -> Json -> View
toView turn message = View turn (list toPlanet "planets") (list toExpedition "expeditions")
  where
    list convert name = map convert (elements (field name message))

toPlanet :: Json -> Planet
toPlanet entry = Planet name (coordinate "x") (coordinate "y") owner ships
  where
    name = string (field "name" entry)
    owner = integer (field "owner" entry)
    ships = integer (field "ship_count" entry)
    coordinate axis = case field axis entry of
      Number value -> value
      _ -> 0

toExpedition :: Json -> Expedition
toExpedition entry =
  Expedition
    { expeditionId = integer (field "id" entry),
      expeditionOrigin = string (field "origin" entry),
      expeditionDestination = string (field "destination" entry),
      expeditionOwner = integer (field "owner" entry),
      expeditionShips = integer (field "ship_count" entry),
      expeditionTurnsRemaining = integer (field "turns_remaining" entry)
    }

-- | Sends the answer to the last view.
answer :: [Move] -> IO ()
answer moves = do
  putStrLn ("{\"moves\":[" ++ intercalate "," (map listed moves) ++ "]}")
  hFlush stdout
  where
    listed (Move origin destination ships) =
      printf "{\"origin\":%s,\"destination\":%s,\"ship_count\":%d}" (quoted origin)
        (quoted destination) ships
    quoted text = "\"" ++ concatMap escaped text ++ "\""
    escaped :: Char -> String
    escaped c
      | c < ' ' || c `elem` "\"\\" = printf "\\u%04x" (fromEnum c)
      | otherwise = [c]
