-- A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
--
--     skirmish play aliens --watch . house:random
--
-- Each turn, think gets a view:
--     viewTurn             the number of the turn, from 1
--     viewRows, viewCols   the size of the grid; squares are numbered row by row from 0
--     viewGrid             a character per square: '.' empty, '*' energy, 'a' and 'b' units
--     viewMe, viewEnemy    the players: playerLetter, playerEnergy, playerSpawn (a square),
--                          playerSpawnDestroyed
-- and returns the moves, from a square to an adjacent one. Units without a move stay:
--     [Move 21 22, Move 40 60]
module Main (main) where

import Control.Monad (forM_, when)
import Data.List (mapAccumL, minimumBy)
import Data.Maybe (catMaybes)
import Data.Ord (comparing)
import qualified Data.Set as Set
import Protocol
import System.IO (hPutStrLn, stderr)

-- The line to change first: attack when we have this many times as many units as the enemy.
courage :: Int
courage = 2

-- | The moves of this turn. The whole strategy is here.
think :: View -> [Move]
think view = catMaybes (snd (mapAccumL move (Set.fromList units, Set.empty) units))
  where
    (rows, cols) = (viewRows view, viewCols view)
    squares what = [square | (square, here) <- zip [0 ..] (viewGrid view), here == what]
    units = squares (playerLetter (viewMe view))
    enemies = squares (playerLetter (viewEnemy view))
    energy = squares '*'
    energySet = Set.fromList energy
    attack = length units >= courage * length enemies
    goals = if attack then enemies ++ [playerSpawn (viewEnemy view)] else energy
    centre = rows `div` 2 * cols + cols `div` 2

    steps a b = abs (a `div` cols - b `div` cols) + abs (a `mod` cols - b `mod` cols)
    neighbours square =
      [ to
        | to <- [square - cols, square + cols, square - 1, square + 1],
          to >= 0 && to < rows * cols && steps square to == 1
      ]

    -- taken: squares of our units; if two meet on a square, both die.
    -- claimed: energy that one of our units is already going for.
    move (taken, claimed) unit
      | to == unit = ((taken, nowClaimed), Nothing)
      | otherwise = ((Set.insert to (Set.delete unit taken), nowClaimed), Just (Move unit to))
      where
        wanted = filter (`Set.notMember` claimed) goals
        goal = if null wanted then centre else minimumBy (comparing (steps unit)) wanted
        nowClaimed = if attack then claimed else Set.insert goal claimed
        -- The cost of a square: distance to the goal, or an enemy too close.
        cost square = steps square goal + (if danger square then 1000 else 0)
        danger square = not attack && any (\enemy -> steps square enemy <= 2) enemies
        -- Energy is gathered from an adjacent square; moving onto it destroys it.
        isFree square = square `Set.notMember` taken && square `Set.notMember` energySet
        to = minimumBy (comparing cost) (unit : filter isFree (neighbours unit))

-- | The main loop: answer every view until the match ends.
main :: IO ()
main = do
  allViews <- views
  forM_ allViews $ \view -> do
    -- Debug output: "skirmish play --stderr" and replays show standard error.
    when (viewTurn view == 1) $
      hPutStrLn stderr ("I am player " ++ [playerLetter (viewMe view)])
    answer (think view)
