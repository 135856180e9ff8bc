import { type RequestHandler, Router } from 'express'
import { onlyGet } from './only-get.ts'

/** A router for pages and their files; `at` serves a path to GET and HEAD alone. */
export function pageRouter() {
  const router = Router({ caseSensitive: true })
  const at = (path: string, ...handlers: RequestHandler[]) =>
    router.route(path).all(onlyGet(path)).get(handlers)
  return { router, at }
}
