/** What a process starts with. A fault ends it with one sentence and the exit code 1, before it listens or polls. */
export async function orExit<T>(start: () => T | Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.error(text.replaceAll(/\s*\n\s*/g, ' '))
    process.exit(1)
  }
}
