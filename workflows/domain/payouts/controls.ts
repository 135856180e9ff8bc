import { refuse } from '../core/errors.ts'
import { railKeys } from '../rails/rail.ts'

/**
 * What an operator can pause: the whole service, all payouts, one wallet or one payout, and the runs of a rail or an agent. An
 * address stands for the payouts that it creates or pays; an allowance wallet stands for its payments.
 */
export const controlScopes = ['service', 'payouts', 'wallet', 'payout', 'rail', 'agent'] as const
export type ControlScope = (typeof controlScopes)[number]
export type Pause = { scope: ControlScope; target: string; reason: string }

const targets: Record<ControlScope, { form: RegExp; expected: string }> = {
  service: { form: /^$/, expected: 'no target' },
  payouts: { form: /^$/, expected: 'no target' },
  wallet: {
    form: /^(0x[0-9a-f]{40}|aw_[0-9a-f]{64})$/,
    expected: 'the address of a wallet, or the id of an allowance wallet',
  },
  payout: { form: /^po_[0-9a-f]{64}$/, expected: 'the id of a payout' },
  rail: { form: new RegExp(`^(${railKeys.join('|')})$`), expected: 'the key of a rail' },
  agent: { form: /^agt_[0-9a-f]{64}$/, expected: 'the id of an agent' },
}

/** The target as it is stored: in lowercase, empty for a scope without one. Throws 400 `invalid_request` for any other. */
export function controlTarget(scope: ControlScope, target = ''): string {
  const stored = target.toLowerCase()
  const { form, expected } = targets[scope]
  if (form.test(stored)) return stored
  throw refuse('invalid_request', {
    detail: `the scope ${scope} takes ${expected}`,
    errors: [{ pointer: '/target', message: expected }],
  })
}

const wideName = ({ scope, target }: Pause): string =>
  scope === 'service' ? 'everything' : target || scope

/** The pauses in one line: wide ones with their reasons, those of one wallet, payout or agent by number. Undefined without pauses. */
export function pauseNote(pauses: readonly Pause[]): string | undefined {
  if (pauses.length === 0) return undefined
  const wide = pauses.filter(({ scope, target }) => target === '' || scope === 'rail')
  const single = pauses.length - wide.length
  const parts = wide.map((pause) => `${wideName(pause)} (${pause.reason})`)
  if (single === 1) parts.push('1 single wallet, payout or agent')
  if (single > 1) parts.push(`${single} single wallets, payouts or agents`)
  return `paused: ${parts.join(', ')}`
}
