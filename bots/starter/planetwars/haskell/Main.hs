-- A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
--
--     skirmish play planetwars --watch . house:random
--
-- Each turn, think gets a view:
--     viewTurn          the number of the turn, from 1
--     viewPlanets       planetName, planetX, planetY, planetOwner (1: you, 2 and more: enemies,
--                       0: nobody), planetShips
--     viewExpeditions   fleets under way: expeditionId, expeditionOrigin and expeditionDestination
--                       (names of planets), expeditionOwner, expeditionShips,
--                       expeditionTurnsRemaining
-- and returns the moves, each a fleet from one of your planets to another planet:
--     [Move "protos" "extos" 6]
module Main (main) where

import Control.Monad (forM_, when)
import Data.List (mapAccumL, partition, sortOn)
import qualified Data.Map.Strict as Map
import Data.Maybe (catMaybes)
import Protocol
import System.IO (hPutStrLn, stderr)

-- The lines to change first: how many ships a planet keeps at home, and by how many ships its
-- fleets outnumber their targets.
garrison, spare :: Int
garrison = 0
spare = 1

-- | The travel time in turns.
turns :: Planet -> Planet -> Int
turns a b = max 1 (ceiling (sqrt (dx * dx + dy * dy)))
  where
    dx = planetX a - planetX b
    dy = planetY a - planetY b

-- | The moves of this turn. The whole strategy is here.
think :: View -> [Move]
think view = concat (snd (mapAccumL send (underWay ours) mine))
  where
    (mine, others) = partition ((== 1) . planetOwner) (viewPlanets view)
    (ours, theirs) = partition ((== 1) . expeditionOwner) (viewExpeditions view)
    -- The ships of some expeditions, by their destination.
    underWay fleets =
      Map.fromListWith (+) [(expeditionDestination one, expeditionShips one) | one <- fleets]
    shipsTo planet = Map.findWithDefault 0 (planetName planet)
    enemyShipsTo planet = shipsTo planet (underWay theirs)

    -- The moves from a planet. Keeps our ships under way to each planet.
    send coming origin = (nowComing, catMaybes moves)
      where
        -- A planet under attack keeps the ships it needs.
        ships = planetShips origin - garrison - enemyShipsTo origin
        nearest = sortOn (turns origin) others
        ((nowComing, _), moves) = mapAccumL (attack origin) (coming, ships) nearest

    attack origin (coming, ships) target
      | needed > 0 && needed <= ships = ((nowComing, ships - needed), Just move)
      | otherwise = ((coming, ships), Nothing)
      where
        -- An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
        built = if planetOwner target == 0 then 0 else turns origin target
        needed = planetShips target + built + enemyShipsTo target + spare - shipsTo target coming
        nowComing = Map.insertWith (+) (planetName target) needed coming
        move = Move (planetName origin) (planetName target) needed

-- | The main loop: answer every view until the match ends.
main :: IO ()
main = do
  allViews <- views
  forM_ allViews $ \view -> do
    -- Debug output: "skirmish play --stderr" and replays show standard error.
    when (viewTurn view == 1) $
      hPutStrLn stderr ("planets on this map: " ++ show (length (viewPlanets view)))
    answer (think view)
