-- A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
--
--     skirmish play footsoldiers --watch . house:random
--
-- Each turn, think gets a view. Squares are pairs (x, y):
--     viewTurn, viewTurnsRemaining   this turn, from 1; turns to play, including this one
--     viewMe, viewEnemy              the players: playerTeam ("player1"), playerMoney, playerBase,
--                                    playerHealth
--     viewMap                        everything on the field: thingType ("Base", "Rock", "Scout",
--                                    "Assassin" or "Tank"), thingAt, thingTeam; soldiers also have
--                                    thingHealth, thingDestination, thingDirection
-- and returns one command:
--     Build "Scout" (2, 3) (65, 3) "Right"   place, destination, attack direction
--     Move (6, 1) (9, 5)                     where the soldier is, its new destination
--     Turn (6, 1) "Left"                     where the soldier is, its new direction
--     NoOp
module Main (main) where

import Control.Monad (foldM_, when)
import Data.List (minimumBy)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Ord (comparing)
import qualified Data.Set as Set
import Protocol
import System.IO (hPutStrLn, stderr)

-- The line to change first: what to build, in this order, over and over.
plan :: [String]
plan = ["Scout", "Assassin", "Scout"]

cost :: String -> Int
cost kind = fromMaybe maxBound (lookup kind [("Scout", 10), ("Assassin", 11), ("Tank", 12)])

-- | Maximum distance from the base to build.
near :: Int
near = 5

unreachable :: Int
unreachable = 9999

-- | What the bot keeps from turn to turn.
data Memory = Memory
  { -- | Steps to the enemy's base from every square; computed in the first turn.
    memoryFar :: Map.Map Square Int,
    memoryBuilt :: Int
  }

apart :: Square -> Square -> Int
apart (ax, ay) (bx, by) = abs (ax - bx) + abs (ay - by)

around :: Square -> [Square]
around (x, y) = [(x + 1, y), (x, y + 1), (x, y - 1), (x - 1, y)]

-- | From the enemy's base outwards, around the rocks, and also one square off the map.
measure :: View -> Map.Map Square Int
measure view = spread 1 (Map.singleton goal 0) [goal]
  where
    goal = playerBase (viewEnemy view)
    rocks = Set.fromList [thingAt thing | thing <- viewMap view, thingType thing == "Rock"]
    width = 2 + maximum (map (fst . thingAt) (viewMap view))
    height = 2 + maximum (map (snd . thingAt) (viewMap view))
    isInside (x, y) = x >= 0 && x < width && y >= 0 && y < height
    spread _ far [] = far
    spread steps far edge = spread (steps + 1) (Map.union far next) (Map.keys next)
      where
        isNew to = isInside to && to `Map.notMember` far && to `Set.notMember` rocks
        next = Map.fromList [(to, steps) | to <- concatMap around edge, isNew to]

-- | How far a soldier can go without a detour: it gets stuck behind rocks.
waypoint :: Map.Map Square Int -> Square -> Square
waypoint far start = go start 0
  where
    stepsFrom square = Map.findWithDefault unreachable square far
    go here steps
      | stepsFrom here == 0 || apart to start <= steps = here
      | otherwise = go to (steps + 1)
      where
        to = minimumBy (comparing stepsFrom) (around here)

-- | The command of this turn, and what to remember. The whole strategy is here.
think :: Memory -> View -> (Memory, Command)
think memory view
  | playerMoney me >= cost kind && not (null sites) =
    (Memory far (memoryBuilt memory + 1), Build kind site (waypoint far site) look)
  | otherwise = (Memory far (memoryBuilt memory), fromMaybe NoOp (listToMaybe guided))
  where
    me = viewMe view
    far = if Map.null (memoryFar memory) then measure view else memoryFar memory
    kind = plan !! (memoryBuilt memory `mod` length plan)
    (homeX, homeY) = playerBase me
    taken = Set.fromList (map thingAt (viewMap view))
    sites =
      [ at
        | x <- [homeX - near .. homeX + near],
          y <- [homeY - near .. homeY + near],
          let at = (x, y),
          apart at (homeX, homeY) <= near,
          at `Map.member` far,
          at `Set.notMember` taken
      ]
    site = minimumBy (comparing (far Map.!)) sites
    look = if homeX < fst (playerBase (viewEnemy view)) then "Right" else "Left"
    -- Nothing to build: guide a soldier that has arrived.
    guided =
      [ Move at to
        | thing <- viewMap view,
          let at = thingAt thing,
          thingTeam thing == Just (playerTeam me),
          thingDestination thing == Just at,
          at `Map.member` far,
          let to = waypoint far at,
          at /= to
      ]

-- | The main loop: answer every view until the match ends.
main :: IO ()
main = views >>= foldM_ play (Memory Map.empty 0)
  where
    play memory view = do
      -- Debug output: "skirmish play --stderr" and replays show standard error.
      when (viewTurn view == 1) $ hPutStrLn stderr (unwords ("building" : plan))
      let (newMemory, command) = think memory view
      answer command
      return newMemory
