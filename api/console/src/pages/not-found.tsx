import { Link } from '@tanstack/react-router'
import { Empty, linkClass } from '../parts/basics.tsx'

/** An address that no page has. */
export const NotFoundPage = () => (
  <main className="mx-auto mt-[12vh] max-w-md p-4">
    <h1 className="mb-4 text-xl font-semibold">There is no such page</h1>
    <Empty title="The address is wrong, or what it named is elsewhere now.">
      <Link to="/" className={linkClass}>
        Go to the inbox
      </Link>
    </Empty>
  </main>
)
