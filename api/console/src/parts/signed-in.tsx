import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call, Refused } from '../calls.ts'
import { followChanges } from '../changes.ts'
import { Button, Loading, Problem } from './basics.tsx'
import { ShortcutHelp } from './shortcuts.tsx'

const pages = [
  ['/', 'Inbox'],
  ['/work', 'Payouts and tasks'],
  ['/pilots', 'Pilots'],
  ['/money', 'Money'],
  ['/agents', 'Agents'],
  ['/authority', 'Authority'],
  ['/keys', 'Signing keys'],
  ['/controls', 'Controls'],
] as const

/** The frame of every page; without a session it leads to the sign-in page. */
export function SignedIn() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [live, setLive] = useState(false)
  const session = useQuery({
    queryKey: ['session'],
    queryFn: () => call('session-read', {}),
    refetchInterval: 60_000,
  })
  const isOut = session.error instanceof Refused && session.error.status === 401
  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in' })
  }, [isOut, navigate])
  const known = session.data !== undefined
  useEffect(() => (known ? followChanges(queries, setLive) : undefined), [known, queries])
  const signOut = async () => {
    await call('session-end', {})
    queries.clear()
    await navigate({ to: '/sign-in' })
  }
  if (session.data === undefined)
    return (
      <main className="p-6">
        {session.error && !isOut ? <Problem error={session.error} /> : <Loading />}
      </main>
    )
  return (
    <div className="min-h-screen md:grid md:grid-cols-[13rem_1fr]">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:bg-card focus:p-2">
        Skip to the content
      </a>
      <header className="border-b border-line bg-card p-3 md:sticky md:top-0 md:flex md:h-screen md:flex-col md:border-r md:border-b-0">
        <p className="m-0 mb-2 font-semibold">agent-rails</p>
        <nav aria-label="Pages">
          <ul className="m-0 flex list-none flex-wrap gap-1 p-0 md:flex-col">
            {pages.map(([to, name]) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  className="block rounded-md px-2.5 py-1.5 text-text no-underline hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:font-semibold"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="mt-3 flex flex-wrap items-center gap-2 text-sm md:mt-auto md:block md:space-y-2">
          <p role="status" className="m-0 text-muted">
            {live ? 'Live' : 'Connecting …'}
          </p>
          <p className="m-0 break-words">{session.data.session.name}</p>
          <div className="flex flex-wrap gap-2">
            <ShortcutHelp />
            <Button onClick={() => void signOut()}>Sign out</Button>
          </div>
        </div>
      </header>
      <main id="main" className="min-w-0 p-4 md:p-6">
        <Outlet />
      </main>
    </div>
  )
}
