// Words that bots read and say, a game each, for completion. The rules of the games (docs/rules)
// have them whole.

export interface ProtocolWord {
  word: string;
  means: string;
}

function table(text: string): ProtocolWord[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [word = '', means = ''] = line.trim().split(' | ');
      return { word, means };
    });
}

export const protocol: Record<string, ProtocolWord[]> = {
  footsoldiers: table(`
    Ready | said once, before the first view
    Build Scout | (x, y) (x, y) Up: where, destination, direction
    Build Assassin | (x, y) (x, y) Up: where, destination, direction
    Build Tank | (x, y) (x, y) Up: where, destination, direction
    Move | (x, y) to (x, y): a soldier's new destination
    Change attack direction | (x, y) to Up: where the soldier is
    No-op | an answer without a command
    Up | a direction
    Down | a direction
    Left | a direction
    Right | a direction`),
  ctf: table(`
    Flag | a line of the view: the own flag, x y
    EnemyFlag | a line of the view: the enemy's flag, x y
    Soldier | a line of the view: name x y cooldown alive flag
    Enemy | a line of the view: name x y alive flag
    Grenade | a line of the view: x y countdown
    True | the soldier lives
    False | the soldier is dead
    No | the soldier carries no flag`),
  aliens: table(`
    player | in the view: "a" or "b", who you are
    state | in the view: the board and the players
    rows | in state: how many there are
    cols | in state: how many there are
    grid | in state: a character a square, row after row
    spawn | in state.p1 and state.p2: where units appear
    from | in an order: the square of the unit
    to | in an order: a square beside it
    food | in state.p1 and state.p2: energy that was gathered
    turnsElapsed | in state
    maxTurns | in state`),
  underworld: table(`
    Who are you? | read once, at the start
    crayfish | said once, in answer to it
    money | a line of the view: the amount
    end | the last line of a view and of an answer
    move | x y DIRECTION: the warrior there moves
    spawn | x y DIRECTION: the barracks there makes a warrior
    build | x y TYPE: F or B is built there
    gg | read in place of a view when the match is over for you`),
  planetwars: table(`
    planets | in the view: a list
    expeditions | in the view: fleets under way
    owner | of a planet: a number, 1 is you, null nobody
    name | of a planet
    ship_count | of a planet, an expedition or a move
    moves | the answer: a list
    origin | in a move: the name of a planet of yours
    destination | in a move: the name of a planet
    turns_remaining | of an expedition`),
};
