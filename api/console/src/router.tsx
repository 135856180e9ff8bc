import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router'
import { AgentPage } from './pages/agent.tsx'
import { AgentsPage } from './pages/agents.tsx'
import { ControlsPage } from './pages/controls.tsx'
import { DelegatedActionsPage } from './pages/delegated-actions.tsx'
import { GrantsPage } from './pages/grants.tsx'
import { InboxPage } from './pages/inbox.tsx'
import { KeysPage } from './pages/keys.tsx'
import { MandatePage } from './pages/mandate.tsx'
import { MandatesPage } from './pages/mandates.tsx'
import { MoneyPage } from './pages/money.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { PilotsPage } from './pages/pilots.tsx'
import { ReviewPage } from './pages/review.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { WorkPage } from './pages/work.tsx'
import { WorkListPage } from './pages/work-list.tsx'
import { Problem } from './parts/basics.tsx'
import { SignedIn } from './parts/signed-in.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage })
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn })

/** A search as text fields: filters and pages are in the address, so that they can be shared. */
const searchOf =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { [name in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]])),
    ) as { [name in Name]?: string | undefined }

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: InboxPage,
  validateSearch: searchOf(
    'action',
    'kind',
    'code',
    'rail',
    'older_than_seconds',
    'min_amount_usd',
    'offset',
  ),
})
const review = createRoute({
  getParentRoute: () => signedIn,
  path: '/review/$id',
  component: ReviewPage,
})
const workList = createRoute({
  getParentRoute: () => signedIn,
  path: '/work',
  component: WorkListPage,
  validateSearch: searchOf('q', 'kind', 'state', 'offset'),
})
const work = createRoute({ getParentRoute: () => signedIn, path: '/work/$id', component: WorkPage })
const money = createRoute({ getParentRoute: () => signedIn, path: '/money', component: MoneyPage })
const pilots = createRoute({
  getParentRoute: () => signedIn,
  path: '/pilots',
  component: PilotsPage,
  validateSearch: searchOf('q', 'rail', 'state', 'source', 'offset'),
})
const agents = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents',
  component: AgentsPage,
  validateSearch: searchOf('q', 'state', 'offset'),
})
const agent = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents/$id',
  component: AgentPage,
})
const mandates = createRoute({
  getParentRoute: () => signedIn,
  path: '/authority',
  component: MandatesPage,
  validateSearch: searchOf('q', 'kind', 'state', 'offset'),
})
const mandate = createRoute({
  getParentRoute: () => signedIn,
  path: '/authority/mandates/$id',
  component: MandatePage,
})
const grants = createRoute({
  getParentRoute: () => signedIn,
  path: '/authority/grants',
  component: GrantsPage,
  validateSearch: searchOf('q', 'state', 'offset'),
})
const delegatedActions = createRoute({
  getParentRoute: () => signedIn,
  path: '/authority/actions',
  component: DelegatedActionsPage,
  validateSearch: searchOf('q', 'state', 'offset'),
})
const keys = createRoute({ getParentRoute: () => signedIn, path: '/keys', component: KeysPage })
const controls = createRoute({
  getParentRoute: () => signedIn,
  path: '/controls',
  component: ControlsPage,
})

export const router = createRouter({
  basepath: '/console',
  defaultErrorComponent: ({ error }) => <Problem error={error} />,
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([
      inbox,
      review,
      workList,
      work,
      pilots,
      money,
      agents,
      agent,
      mandates,
      mandate,
      grants,
      delegatedActions,
      keys,
      controls,
    ]),
  ]),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
