// Tracks soldiers from turn to turn. The state has no ids, and soldiers of a kind can pass each
// other in a turn, so `advance` computes their moves as the rules do. Only the ids depend on it.
import type { Frame } from '../../rules/types';
import type { Scene, Thing } from '../game';
import {
  DIRECTIONS,
  far,
  type Field,
  isSoldier,
  isSoldierThing,
  keyOf,
  type Order,
  type Soldier,
  type Square,
  type State,
  STEPS,
  type Type,
} from './state';

/** A soldier and its id, during a turn. */
interface Walker {
  id: string;
  player: number;
  type: Type;
  at: Square;
  to: Square;
}

/**
 * Where a soldier goes: the reachable square nearest to its destination. At equal distance, its own
 * square, then the smaller x, then the smaller y.
 */
function stepOf(walker: Walker, speed: number, taken: (key: number) => boolean): Square {
  const own = walker.at;
  if (speed === 0 || far(own, walker.to) === 0) return own;
  const side = 2 * speed + 1;
  const seen = new Uint8Array(side * side);
  let best = own;
  let nearest = far(own, walker.to);
  let edge: Square[] = [own];
  seen[speed * side + speed] = 1;
  for (let steps = 0; steps < speed && edge.length; steps++) {
    const next: Square[] = [];
    for (const { x, y } of edge)
      for (const way of DIRECTIONS) {
        const to = { x: x + STEPS[way].x, y: y + STEPS[way].y };
        const cell = (to.y - own.y + speed) * side + to.x - own.x + speed;
        if (seen[cell] || taken(keyOf(to))) continue;
        seen[cell] = 1;
        next.push(to);
        const away = far(to, walker.to);
        if (
          away < nearest ||
          (away === nearest &&
            best !== own &&
            (to.x < best.x || (to.x === best.x && to.y < best.y)))
        )
          [best, nearest] = [to, away];
      }
    edge = next;
  }
  return best;
}

/**
 * The previous turn's soldiers after this turn's moves: commands first, then one soldier after
 * another.
 */
function advance(field: Field, frame: Frame<State, Order | null>, before: Scene): Walker[] {
  const walkers: Walker[] = [];
  const was = before.frame.state as State;
  for (const thing of before.things)
    if (isSoldierThing(thing)) {
      const soldier = thing.data as Soldier;
      walkers.push({
        id: thing.id,
        player: thing.owner as number,
        type: soldier.type,
        at: soldier.position,
        to: soldier.destination,
      });
    }
  frame.players.forEach((turn, player) => {
    const order = turn.orders;
    // A player has one command per turn, so that is the rejected one.
    if (!order?.position || turn.refused) return;
    const own = walkers.find(
      (walker) => walker.player === player && far(walker.at, order.position as Square) === 0,
    );
    if (order.command === 'Build' && order.type && order.destination)
      walkers.push({
        id: `soldier ${player}-${frame.turn}`,
        player,
        type: order.type,
        at: order.position,
        to: order.destination,
      });
    else if (order.command === 'Move' && own && order.destination) own.to = order.destination;
  });
  const standing = new Set(walkers.map((walker) => keyOf(walker.at)));
  const first = was['turns-remaining'] % 2;
  walkers.sort((a, b) => a.at.x - b.at.x || a.at.y - b.at.y);
  for (const player of [first, 1 - first])
    for (const walker of walkers)
      if (walker.player === player) {
        standing.delete(keyOf(walker.at));
        walker.at = stepOf(
          walker,
          field.speed[walker.type],
          (key) => field.solid.has(key) || standing.has(key),
        );
        standing.add(keyOf(walker.at));
      }
  return walkers;
}

/** The ids of the soldiers by square, and who fell where. */
export function namesOf(
  field: Field,
  frame: Frame<State, Order | null>,
  before: Scene | null,
): { names: Map<number, string>; fallen: { thing: Thing; at: Square }[] } {
  const names = new Map<number, string>();
  const soldiers = frame.state.map.filter(isSoldier);
  if (!before) return { names, fallen: [] };
  const still = before.things.filter(isSoldierThing).map((thing) => ({
    id: thing.id,
    player: thing.owner,
    type: thing.data.type as Type,
    at: thing.data.position as Square,
  }));
  // When a player is disqualified, no soldier moves. If turns are missing, only soldiers that did
  // not move can be identified.
  for (const walkers of before.frame.turn === frame.turn - 1
    ? [advance(field, frame, before), still]
    : [still]) {
    names.clear();
    const there = new Map(walkers.map((walker) => [keyOf(walker.at), walker]));
    let all = true;
    for (const soldier of soldiers) {
      const walker = there.get(keyOf(soldier.position));
      if (
        walker &&
        walker.type === soldier.type &&
        walker.player === (soldier.team === 'player2' ? 1 : 0)
      )
        names.set(keyOf(soldier.position), walker.id);
      else all = false;
    }
    if (!all) continue;
    const kept = new Set(names.values());
    const fallen = walkers.flatMap((walker) => {
      const thing = before.byId.get(walker.id);
      return thing && !kept.has(walker.id) ? [{ thing, at: walker.at }] : [];
    });
    return { names, fallen };
  }
  return { names, fallen: [] };
}
