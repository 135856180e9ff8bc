import { refuse } from './errors.ts'

/**
 * What a switch stops: everything, the payout rail, one wallet (an address: payouts that it creates or that leave it; an allowance
 * wallet: payments from it), one payout.
 */
export const controlScopes = ['service', 'payouts', 'wallet', 'payout'] as const
export type ControlScope = (typeof controlScopes)[number]
export type Pause = { scope: ControlScope; target: string; reason: string }

const targets: Record<ControlScope, { form: RegExp; told: string }> = {
  service: { form: /^$/, told: 'no target' },
  payouts: { form: /^$/, told: 'no target' },
  wallet: {
    form: /^(0x[0-9a-f]{40}|aw_[0-9a-f]{64})$/,
    told: 'the address of a wallet, or the id of an allowance wallet',
  },
  payout: { form: /^po_[0-9a-f]{64}$/, told: 'the id of a payout' },
}

/** The target as it is stored: lowercase, empty where the scope has none; throws 400 `invalid_request` for one that does not fit. */
export function controlTarget(scope: ControlScope, target = ''): string {
  const stored = target.toLowerCase()
  const { form, told } = targets[scope]
  if (form.test(stored)) return stored
  throw refuse('invalid_request', `the scope ${scope} takes ${told}`, `Give ${told}.`, {
    errors: [{ pointer: '/target', message: told }],
  })
}

/** The pauses in one line: those that stop everybody with their reasons, the others by number; undefined when there is none. */
export function pauseNote(pauses: readonly Pause[]): string | undefined {
  if (pauses.length === 0) return undefined
  const wide = pauses.filter(({ target }) => target === '')
  const single = pauses.length - wide.length
  const parts = wide.map(({ scope, reason }) => `${scope === 'service' ? 'everything' : scope} (${reason})`)
  if (single > 0) parts.push(`${single} single ${single === 1 ? 'wallet or payout' : 'wallets or payouts'}`)
  return `paused: ${parts.join(', ')}`
}
