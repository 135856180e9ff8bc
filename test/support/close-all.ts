/** Calls each in turn, also after one that failed; what failed first is thrown at the end. */
export async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
