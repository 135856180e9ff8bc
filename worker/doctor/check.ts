/** The result of one check, with a remedy if it is a fault or a warning. */
export type Check = {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly remedy?: string
}

/** The result without the name of the check. */
export type Finding = Omit<Check, 'name'>

export const fine = (detail: string): Finding => ({ ok: true, detail })
/** Not yet a fault: the doctor still reports success. */
export const warning = (detail: string, remedy: string): Finding => ({ ok: true, detail, remedy })
export const fault = (detail: string, remedy: string): Finding => ({ ok: false, detail, remedy })

const ANSWER_WITHIN_MS = 5_000

/** Runs one check. If it throws or takes too long, it is a fault with this remedy. */
export async function runCheck(
  name: string,
  remedy: string,
  find: () => Promise<Finding> | Finding,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Check> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(fault(`no answer in ${withinMs / 1000} s`, remedy)), withinMs)
  })
  const found = (async () => find())().catch((error: unknown) => fault(reasonOf(error), remedy))
  const finding = await Promise.race([found, late]).finally(() => clearTimeout(timer))
  return { name, ...finding }
}

/** The first line of the message; connection errors of Node keep it in their parts. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n')[0] ?? text
}
