/** Names as people read them: of what waits, and of what to do about it. */
const kinds: Readonly<Record<string, string>> = {
  loop_step: 'run result',
  payment_reference: 'payment',
}
const acts: Readonly<Record<string, string>> = {
  decide: 'Decide',
  recover: 'Recover',
  close_difference: 'Resolve',
}

export const plain = (name: string): string => name.replaceAll('_', ' ')
export const kindName = (kind: string): string => kinds[kind] ?? plain(kind)
export const actName = (action: string): string => acts[action] ?? plain(action)

/** Where a run is: the step under way, or how much of it was done when it ended. */
export function standing(step: string | null, done: number, of: number): string {
  if (step !== null) return `Step ${done + 1} of ${of}: ${plain(step)}`
  return done === of ? 'All steps are done' : `It ended after ${done} of ${of} steps`
}

/** A text with its long ids cut: whole ids stand next to it, to be copied. */
export const withShortIds = (text: string): string =>
  text.replaceAll(/\b(?:[a-z]{1,5}[_-])?(?:0x)?[0-9a-f]{24,}\b/g, (id) => `${id.slice(0, 14)}…`)

/** US dollars with two decimals, or as many as it has, and groups of three digits. */
export function dollars(usd: string | number): string {
  const [whole = '0', decimals = ''] = String(usd).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`
}

const units: readonly [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
]

/** A duration in its largest unit. */
export function duration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}

/** A time to be read by people everywhere. */
export const utc = (time: string): string => `${time.slice(0, 19).replace('T', ' ')} UTC`
