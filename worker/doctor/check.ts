/** One thing that was looked at: what was found, and, where that is a fault or a warning, the act that mends it. */
export type Check = { readonly name: string; readonly ok: boolean; readonly detail: string; readonly remedy?: string }

/** What one look found. */
export type Finding = Omit<Check, 'name'>

export const fine = (detail: string): Finding => ({ ok: true, detail })
/** Something to know of that is no fault yet: the examination is still passed. */
export const warning = (detail: string, remedy: string): Finding => ({ ok: true, detail, remedy })
export const fault = (detail: string, remedy: string): Finding => ({ ok: false, detail, remedy })

const ANSWER_WITHIN_MS = 5_000

/** Looks once; a look that throws or takes longer than 5 s is a fault with this remedy. */
export async function look(name: string, remedy: string, find: () => Promise<Finding> | Finding): Promise<Check> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(fault(`no answer in ${ANSWER_WITHIN_MS / 1000} s`, remedy)), ANSWER_WITHIN_MS)
  })
  const found = (async () => find())().catch((error: unknown) => fault(reasonOf(error), remedy))
  const finding = await Promise.race([found, late]).finally(() => clearTimeout(timer))
  return { name, ...finding }
}

/** The first line that tells something; connection errors of Node keep it in their parts. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n')[0] ?? text
}
