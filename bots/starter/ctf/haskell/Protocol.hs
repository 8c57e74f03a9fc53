-- How a bot for Capture the flag talks to the referee. You need not change this file.
--
-- The input starts with the team's letter, the map and an empty line. Then a view per round:
--     0 0                            our points, theirs
--     Flag 1 5                       where our flag is
--     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
--     Grenade 10 7 2                 ours: x, y, rounds left
--     EnemyFlag 13 9
--     Enemy L 11 8 True No           name, x, y, alive, flag
--     (an empty line)
-- An answer is a line per order and an empty line:
--     X D (10,7)
module Protocol
  ( Square,
    Order (..),
    Soldier (..),
    Enemy (..),
    Grenade (..),
    View (..),
    views,
    answer,
  )
where

import Data.Char (toLower)
import System.IO (hFlush, stdout)

type Square = (Int, Int)

-- | The name of a soldier; U, D, L, R or S; the square to throw a grenade at.
data Order = Order {orderName :: String, orderStep :: Char, orderTarget :: Maybe Square}

data Soldier = Soldier
  { soldierName :: String,
    soldierAt :: Square,
    soldierCooldown :: Int,
    soldierAlive :: Bool,
    soldierCarriesFlag :: Bool
  }

data Enemy = Enemy
  { enemyName :: String,
    enemyAt :: Square,
    enemyAlive :: Bool,
    enemyCarriesFlag :: Bool
  }

data Grenade = Grenade {grenadeAt :: Square, grenadeCountdown :: Int}

data View = View
  { viewTurn :: Int,
    viewMap :: [String],
    viewBase :: Square,
    viewSpawn :: Square,
    viewPoints :: Int,
    viewEnemyPoints :: Int,
    viewFlag :: Square,
    viewEnemyFlag :: Square,
    viewSoldiers :: [Soldier],
    viewGrenades :: [Grenade],
    viewEnemies :: [Enemy]
  }

-- | The views of the match. The list is lazy: each is read when it is needed.
views :: IO [View]
views = do
  input <- getContents
  return $ case blocks (map words (lines input)) of
    start : rounds -> zipWith (toView (map head start)) [1 ..] rounds
    [] -> []

-- | The lines up to each empty line, as words.
blocks :: [[String]] -> [[[String]]]
blocks input = case break null input of
  (block, _ : rest) -> block : blocks rest
  (_, []) -> []

toView :: [String] -> Int -> [[String]] -> View
toView start turn block =
  View
    { viewTurn = turn,
      viewMap = rows,
      viewBase = find (map toLower team),
      viewSpawn = find team,
      viewPoints = points,
      viewEnemyPoints = enemyPoints,
      viewFlag = head [square x y | "Flag" : x : y : _ <- block],
      viewEnemyFlag = head [square x y | "EnemyFlag" : x : y : _ <- block],
      viewSoldiers =
        [ Soldier name (square x y) (read cooldown) (alive == "True") (flag /= "No")
          | "Soldier" : name : x : y : cooldown : alive : flag : _ <- block
        ],
      viewGrenades = [Grenade (square x y) (read left) | "Grenade" : x : y : left : _ <- block],
      viewEnemies =
        [ Enemy name (square x y) (alive == "True") (flag /= "No")
          | "Enemy" : name : x : y : alive : flag : _ <- block
        ]
    }
  where
    (team, rows) = (head start, tail start)
    (points, enemyPoints) = case head block of
      ours : theirs : _ -> square ours theirs
      _ -> (0, 0)
    square x y = (read x, read y)
    find tile =
      head [(x, y) | (y, row) <- zip [0 ..] rows, (x, here) <- zip [0 ..] row, [here] == tile]

-- | Sends the answer to the last view.
answer :: [Order] -> IO ()
answer orders = do
  putStrLn (unlines (map text orders)) -- ends with an empty line
  hFlush stdout
  where
    text (Order name step target) = unwords ([name, [step]] ++ maybe [] throw target)
    throw (x, y) = ["(" ++ show x ++ "," ++ show y ++ ")"]
