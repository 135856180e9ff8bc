/** An operator's act on a payout or task as it is typed; `act` may name several, of which one is chosen. */
export const recoverCommand = (id: string, act: string): string =>
  `agent-rails recover act ${id} ${act} --operator NAME --reason WHY`
