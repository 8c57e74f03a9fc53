-- A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
--
--     skirmish play underworld --map duel --watch . house:random
--
-- Each turn, think gets a view. Cells are pairs (x, y):
--     viewTurn                   the number of the turn, from 1
--     viewColumns, viewRows      the size of the board
--     viewPlayers, viewMe        how many players there are, and your number, from 0
--     viewMoney                  what you can spend
--     viewThings                 what you see: thingAt, thingOwner, thingKind ('C' castle,
--                                'B' barracks, 'F' farm, 'W' warrior, '#' wall), thingHitpoints
-- and returns any number of commands:
--     Command "build" (1, 0) 'F'   a farm or barracks, within distance 2 of your buildings
--     Command "spawn" (0, 1) 'E'   the barracks at (0, 1) spawns a warrior to the east
--     Command "move" (1, 1) 'S'    the warrior at (1, 1) moves south; it strikes automatically
module Main (main) where

import Control.Monad (forM_, when)
import Data.List (mapAccumL, minimumBy, sortOn)
import qualified Data.Map.Strict as Map
import Data.Maybe (catMaybes, fromMaybe, maybeToList)
import Data.Ord (comparing)
import qualified Data.Set as Set
import Protocol
import System.IO (hPutStrLn, stderr)

-- The lines to change first: how many farms to build, and how many warriors before they attack.
farmLimit, army :: Int
farmLimit = 3
army = 4

farmCost, warriorCost :: Int
farmCost = 1000
warriorCost = 500

-- | Range of warriors and of building: distance 2, squared.
reach :: Int
reach = 4

-- | The squared distance.
apart :: Cell -> Cell -> Int
apart (ax, ay) (bx, by) = (ax - bx) ^ (2 :: Int) + (ay - by) ^ (2 :: Int)

-- | The first element with the smallest cost.
best :: Ord b => (a -> b) -> [a] -> Maybe a
best _ [] = Nothing
best cost list = Just (minimumBy (comparing cost) list)

-- | The adjacent cells, each with the letter of its direction.
neighbours :: View -> Cell -> [(Char, Cell)]
neighbours view (x, y) = filter (isInside . snd) around
  where
    around = [('N', (x, y - 1)), ('S', (x, y + 1)), ('E', (x + 1, y)), ('W', (x - 1, y))]
    isInside (toX, toY) = toX >= 0 && toX < viewColumns view && toY >= 0 && toY < viewRows view

-- | The steps to the goal from every cell that can reach it.
distances :: View -> Cell -> Set.Set Cell -> Map.Map Cell Int
distances view goal closed = spread 1 (Map.singleton goal 0) [goal]
  where
    spread _ far [] = far
    spread steps far edge = spread (steps + 1) (Map.union far next) (Map.keys next)
      where
        around = map snd (concatMap (neighbours view) edge)
        isNew cell = cell `Map.notMember` far && cell `Set.notMember` closed
        next = Map.fromList [(cell, steps :: Int) | cell <- around, isNew cell]

-- | The commands of this turn. The whole strategy is here.
think :: View -> [Command]
think view = catMaybes moves ++ maybeToList farm ++ catMaybes spawns
  where
    cells kind mine =
      [ thingAt thing
        | thing <- viewThings view,
          thingKind thing == kind,
          (thingOwner thing == viewMe view) == mine
      ]
    (barracks, farms, warriors) = (cells 'B' True, cells 'F' True, cells 'W' True)
    home = head (cells 'C' True)
    fromHome = apart home
    across = (viewColumns view - 1 - fst home, viewRows view - 1 - snd home)
    goal = fromMaybe across (best fromHome (cells 'C' False)) -- across if we see no enemy castle
    buildings = home : barracks ++ farms
    isNear others cell = any (\other -> apart cell other <= reach) others
    -- Only walls and our own buildings block the way: we destroy those of the enemies.
    far = distances view goal (Set.fromList (cells '#' False ++ buildings))

    -- The free neighbour that is nearest to the goal, with its direction.
    nextStep taken cell = best ((far Map.!) . snd) (filter (isOpen . snd) (neighbours view cell))
      where
        isOpen to = to `Set.notMember` taken && to `Map.member` far

    -- Warriors in front move first and make room for the next.
    (takenByMoves, moves) =
      mapAccumL move (Set.fromList (map thingAt (viewThings view))) $
        sortOn (far Map.!) (filter (`Map.member` far) warriors)
    move taken cell = case nextStep taken cell of
      Just (letter, to)
        | far Map.! to < far Map.! cell && not fights && not waits ->
          (Set.insert to (Set.delete cell taken), Just (Command "move" cell letter))
      _ -> (taken, Nothing)
      where
        fights = isNear (cells 'W' False) cell
        waits = length warriors < army && not (isNear buildings cell)

    -- The cells around barracks are left free for warriors.
    doors = Set.fromList (map snd (concatMap (neighbours view) barracks))
    sites =
      [ (x, y)
        | y <- [0 .. viewRows view - 1],
          x <- [0 .. viewColumns view - 1],
          (x, y) `Set.notMember` takenByMoves,
          (x, y) `Set.notMember` doors,
          isNear buildings (x, y)
      ]
    (takenByFarm, moneyLeft, farm) = case best fromHome sites of
      Just site
        | length farms < farmLimit && viewMoney view >= farmCost ->
          (Set.insert site takenByMoves, viewMoney view - farmCost, Just (Command "build" site 'F'))
      _ -> (takenByMoves, viewMoney view, Nothing)

    (_, spawns) = mapAccumL spawn (takenByFarm, moneyLeft) barracks
    spawn (taken, money) cell = case nextStep taken cell of
      Just (letter, to)
        | money >= warriorCost ->
          ((Set.insert to taken, money - warriorCost), Just (Command "spawn" cell letter))
      _ -> ((taken, money), Nothing)

-- | The main loop: answer every view until the match ends.
main :: IO ()
main = do
  allViews <- views
  forM_ allViews $ \view -> do
    -- Debug output: "skirmish play --stderr" and replays show standard error.
    when (viewTurn view == 1) $
      hPutStrLn stderr ("I am player " ++ show (viewMe view) ++ " of " ++ show (viewPlayers view))
    answer (think view)
