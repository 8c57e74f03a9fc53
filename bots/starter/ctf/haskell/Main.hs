-- A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
--
--     skirmish play ctf --watch . house:random
--
-- Each round, think gets a view. Squares are pairs (x, y):
--     viewTurn                     the number of the round, from 1
--     viewMap                      the rows of the map; '#' is an obstacle
--     viewBase, viewSpawn          where your flag belongs, and where your soldiers start
--     viewPoints, viewEnemyPoints  the score
--     viewFlag, viewEnemyFlag      where the flags are now
--     viewSoldiers                 yours: soldierName, soldierAt, soldierCooldown, soldierAlive,
--                                  soldierCarriesFlag
--     viewGrenades                 yours: grenadeAt, grenadeCountdown (enemy grenades are hidden)
--     viewEnemies                  enemyName, enemyAt, enemyAlive, enemyCarriesFlag
-- and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
--     [Order "X" 'D' (Just (10, 7)), Order "Y" 'S' Nothing]
module Main (main) where

import Control.Monad (forM_, when)
import Data.List (minimumBy)
import qualified Data.Map.Strict as Map
import Data.Ord (comparing)
import qualified Data.Set as Set
import Protocol
import System.IO (hPutStrLn, stderr)

-- The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
guards :: Int
guards = 1

-- | The default range of grenades.
range :: Int
range = 10

unreachable :: Int
unreachable = 9999

-- | The squares that can be reached in one step, each with its letter.
stepsFrom :: Square -> [(Char, Square)]
stepsFrom (x, y) =
  [('S', (x, y)), ('U', (x, y - 1)), ('D', (x, y + 1)), ('L', (x - 1, y)), ('R', (x + 1, y))]

apart :: Square -> Square -> Int
apart (ax, ay) (bx, by) = abs (ax - bx) + abs (ay - by)

isHit :: Square -> Square -> Bool
isHit (x, y) (blastX, blastY) = abs (x - blastX) <= 1 && abs (y - blastY) <= 1

-- | The steps to the goal from every square that can reach it.
distances :: Set.Set Square -> Square -> Map.Map Square Int
distances open goal = spread 1 (Map.singleton goal 0) [goal]
  where
    spread _ far [] = far
    spread steps far edge = spread (steps + 1) (Map.union far next) (Map.keys next)
      where
        around = map snd (concatMap stepsFrom edge)
        isNew square = square `Set.member` open && square `Map.notMember` far
        next = Map.fromList [(square, steps) | square <- around, isNew square]

-- | The orders of this round. The whole strategy is here.
think :: View -> [Order]
think view = zipWith order [0 ..] (viewSoldiers view)
  where
    enemies = map enemyAt (filter enemyAlive (viewEnemies view))
    blasts = [grenadeAt grenade | grenade <- viewGrenades view, grenadeCountdown grenade == 1]
    open =
      Set.fromList
        [ (x, y)
          | (y, row) <- zip [0 ..] (viewMap view),
            (x, tile) <- zip [0 ..] row,
            tile /= '#'
        ]
    toBase = distances open (viewBase view)
    toFlag = distances open (viewFlag view)
    toEnemyFlag = distances open (viewEnemyFlag view)

    order number soldier = Order (soldierName soldier) step target
      where
        at = if soldierAlive soldier then soldierAt soldier else viewSpawn view -- respawns first
        hasFlag = soldierCarriesFlag soldier || at == viewEnemyFlag view
        far
          | hasFlag && at /= viewBase view = toBase -- there, the next order captures the flag
          | number < guards = toFlag
          | otherwise = toEnemyFlag
        steps square = Map.findWithDefault unreachable square far
        -- Our own grenades kill us too.
        cost (_, to) = min unreachable (steps to + (if any (isHit to) blasts then 1000 else 0))
        (step, _) = minimumBy (comparing cost) (stepsFrom at)
        -- A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
        targets = [enemy | enemy <- enemies, apart enemy at > 3, apart enemy at <= range]
        isReady = soldierAlive soldier && soldierCooldown soldier == 0
        target
          | isReady && not (null targets) = Just (minimumBy (comparing (apart at)) targets)
          | otherwise = Nothing

-- | The main loop: answer every view until the match ends.
main :: IO ()
main = do
  allViews <- views
  forM_ allViews $ \view -> do
    -- Debug output: "skirmish play --stderr" and replays show standard error.
    when (viewTurn view == 1) $
      hPutStrLn stderr ("I have " ++ show (length (viewSoldiers view)) ++ " soldiers")
    answer (think view)
