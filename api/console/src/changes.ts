import type { QueryClient } from '@tanstack/react-query'
import { csrfHeader } from './calls.ts'

const AGAIN_MS = 3_000

/** Reads again what is shown whenever something changed, until the returned function is called. */
export function followChanges(queries: QueryClient, say: (live: boolean) => void): () => void {
  const stop = new AbortController()
  void follow(queries, say, stop.signal)
  return () => stop.abort()
}

async function follow(queries: QueryClient, say: (live: boolean) => void, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      const answer = await fetch('/console/events', { headers: csrfHeader(), signal })
      if (!answer.ok || answer.body === null) throw new Error(String(answer.status))
      say(true)
      await queries.invalidateQueries()
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read())
        if (read.value.includes('event: changed')) await queries.invalidateQueries()
    } catch {
      // The stream ended; it is opened again below.
    }
    if (signal.aborted) return
    say(false)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}
