import type { CallRecord, Findings, RunRecord } from './run-record.ts'

/** The lines of a schedule that every run of a batch shares: faults of everybody, by time. */
const OF_EVERYBODY = /^\d+ ms: /

/** One line for each finding: what is wrong, what befell the run, and how its calls were answered at the end. */
export function summarize(findings: Findings, records: readonly RunRecord[]): string[] {
  return Object.entries(findings).flatMap(([kind, list]) =>
    list.map(({ run, what }) => {
      const record = records.find(({ index }) => index === run)
      const own = record?.schedule.filter((line) => !OF_EVERYBODY.test(line)) ?? []
      const calls = record?.calls.map(describeCall) ?? []
      return `${kind}: ${what} (run ${run ?? 'none'}: ${[...own, ...calls].join('; ')})`
    }),
  )
}

function describeCall({ operation, answers }: CallRecord): string {
  const counts = new Map<string, number>()
  for (const { status, body } of answers) {
    const { code = '', detail = '' } = (body ?? {}) as { code?: string; detail?: string }
    const text = [status, code, detail].filter(Boolean).join(' ')
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const texts = [...counts].map(([text, count]) => `${text} × ${count}`)
  return `${operation}: ${texts.join(', ') || 'no answer'}`
}
