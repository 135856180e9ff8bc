import type { TrustState } from '#domain/agents/trust.ts'
import type { StateTable } from '#domain/core/state-table.ts'

/** Every move of a table as `from to`, for guards elsewhere to be compared with. */
export const movesOf = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
): string[] =>
  Object.entries<Readonly<Partial<Record<Event, State>>>>(table).flatMap(([from, events]) =>
    Object.values(events).map((to) => `${from} ${to}`),
  )

/** The moves of the trust state, as `agents_guard` has them. */
export const trustMoves: Readonly<Record<TrustState, readonly TrustState[]>> = {
  submitted: ['under_review'],
  under_review: ['trusted', 'rejected'],
  trusted: ['suspended'],
  rejected: [],
  suspended: ['trusted'],
  sandbox_trusted: [],
}
