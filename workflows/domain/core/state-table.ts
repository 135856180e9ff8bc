import { refuse } from './errors.ts'

/** A record's life as pure data: (state, event) → state; every pair that is not there is refused. */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** The moves of a table from one state to another, each once. */
export const movesOf = (
  table: StateTable<string, string>,
): (readonly [from: string, to: string])[] =>
  Object.entries(table).flatMap(([from, events]) =>
    [...new Set(Object.values(events))].flatMap((to) =>
      to === undefined || to === from ? [] : [[from, to] as const],
    ),
  )

/** The events that a state allows. */
export const eventsOf = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  from: State,
): Event[] => Object.keys(table[from]) as Event[]

/** The state after an event; throws 409 `wrong_state` naming the events allowed now. */
export function move<State extends string, Event extends string>(
  what: string,
  table: StateTable<State, Event>,
  from: State,
  event: Event,
): State {
  const to = table[from][event]
  if (to !== undefined) return to
  throw refuse('wrong_state', {
    detail: `${what} is ${from}`,
    extra: { state: from, allowed_events: eventsOf(table, from) },
  })
}
