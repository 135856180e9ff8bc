import { refuse } from '../core/errors.ts'
import { type RailKey, railKeys } from '../rails/rail.ts'

/** The controls of a customer account (Doc 1, enterprise-controls); null is no limit. Amounts in whole usd. */
export type AccountControls = {
  allowed_rails: RailKey[] | null
  per_run_usd_max: number | null
  per_day_usd_max: number | null
  review_all: boolean
  callback_hosts: string[] | null
  paused: boolean
  credential_max_age_days: number | null
}
export type ControlName = keyof AccountControls

/** An account of which no control was ever set. */
export const openControls: AccountControls = {
  allowed_rails: null,
  per_run_usd_max: null,
  per_day_usd_max: null,
  review_all: false,
  callback_hosts: null,
  paused: false,
  credential_max_age_days: null,
}

export const controlBounds = { usdMax: 1_000_000, hostsMax: 16, walletsMax: 16, daysMax: 365 }

/** What an account is about to spend or begin; `rail` is null where no rail is run. `units` is the number of runs that `usd` pays. */
export type Spending = {
  rail: string | null
  usd: number
  units?: number
  callbackUrl?: string | null | undefined
}

const money = ['quotes', 'starts', 'preflight', 'payments', 'badges', 'plans', 'prepaid credit']
const catalog: Readonly<Record<ControlName, [kind: string, bounds: string, enforced: string[]]>> = {
  allowed_rails: ['list', `of ${railKeys.length} rails`, money],
  per_run_usd_max: ['usd', `0 to ${controlBounds.usdMax}`, [...money, 'payouts']],
  per_day_usd_max: ['usd', `0 to ${controlBounds.usdMax}`, [...money, 'payouts']],
  review_all: ['switch', 'true or false', ['submission']],
  callback_hosts: [
    'list',
    `at most ${controlBounds.hostsMax} hosts`,
    ['preflight', 'starts', 'payouts'],
  ],
  paused: ['switch', 'true or false', [...money, 'payouts']],
  credential_max_age_days: ['days', `1 to ${controlBounds.daysMax}`, ['access keys', 'write gate']],
}

/** Every control with its bounds and where it is enforced. */
export const controlsCatalog = Object.entries(catalog).map(([control, [kind, bounds, at]]) => ({
  control: control as ControlName,
  kind,
  bounds,
  enforced_at: at,
}))

/** Why the controls forbid it, none when they do not; `spentToday` is what it spent of that kind since the UTC day began. */
export function controlDenials(
  controls: AccountControls,
  { rail, usd, units = 1, callbackUrl = null }: Spending,
  spentToday: number,
): string[] {
  const { paused, allowed_rails, per_run_usd_max, per_day_usd_max, callback_hosts } = controls
  const refused = (list: readonly string[] | null, value: string | null) =>
    list !== null && value !== null && !list.includes(value)
  const checks: readonly (readonly [fails: boolean, detail: string])[] = [
    [paused, 'the account is paused'],
    [refused(allowed_rails, rail), `the account does not allow ${rail}`],
    [
      per_run_usd_max !== null && usd > per_run_usd_max * units,
      `${usd / units} is over ${per_run_usd_max} usd at once`,
    ],
    [
      per_day_usd_max !== null && usd > 0 && spentToday + usd > per_day_usd_max,
      `${usd} plus ${spentToday} of today is over ${per_day_usd_max} usd a day`,
    ],
    [refused(callback_hosts, hostOf(callbackUrl)), 'the account does not allow the callback host'],
  ]
  return checks.filter(([fails]) => fails).map(([, detail]) => detail)
}

/** Whether the controls let a URL be called back. */
export const allowsCallback = ({ callback_hosts }: AccountControls, url: string): boolean =>
  callback_hosts === null || callback_hosts.includes(new URL(url).hostname)

/** Throws 403 `control_denied` with every reason. */
export function assertControlsAllow(
  controls: AccountControls,
  spending: Spending,
  spentToday: number,
): void {
  const denials = controlDenials(controls, spending, spentToday)
  if (denials.length === 0) return
  throw refuse('control_denied', {
    detail: denials.join('; '),
    next_action: 'Read the controls at GET /api/enterprise-controls; an operator may widen them.',
    money_moved: 'no',
  })
}

/** Whether `next` permits nothing that `now` forbids: an agent may only narrow, an operator may widen. */
export function narrowsControls(now: AccountControls, next: AccountControls): boolean {
  const lower = (was: number | null, is: number | null) =>
    was === null || (is !== null && is <= was)
  const fewer = (was: readonly string[] | null, is: readonly string[] | null) =>
    was === null || (is?.every((one) => was.includes(one)) ?? false)
  return (
    fewer(now.allowed_rails, next.allowed_rails) &&
    fewer(now.callback_hosts, next.callback_hosts) &&
    lower(now.per_run_usd_max, next.per_run_usd_max) &&
    lower(now.per_day_usd_max, next.per_day_usd_max) &&
    lower(now.credential_max_age_days, next.credential_max_age_days) &&
    (next.paused || !now.paused) &&
    (next.review_all || !now.review_all)
  )
}

/** What a wallet signs (personal_sign) to be bound to an account: LF-joined, without a trailing LF. */
export const walletBindingText = (facts: {
  origin: string
  accountId: string
  wallet: string
}): string =>
  [
    'service-account-wallet-v1',
    `origin: ${facts.origin}`,
    `account: ${facts.accountId}`,
    `wallet: ${facts.wallet.toLowerCase()}`,
  ].join('\n')

const hostOf = (url: string | null): string | null => (url === null ? null : new URL(url).hostname)
