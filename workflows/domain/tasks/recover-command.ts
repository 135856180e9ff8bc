import { recoveryActions } from './exception.ts'

/** Commands of an operator on a stuck payout or task: `wake` makes its workflow read its row, the others recover a task. */
export const recoverCommands = ['wake', ...recoveryActions] as const
export type RecoverAct = (typeof recoverCommands)[number]

/** An operator's act on a payout or task as it is typed; `act` may name several, of which one is chosen. */
export const recoverCommand = (id: string, act: string): string =>
  `agent-rails recover act ${id} ${act} --operator NAME --reason WHY`
