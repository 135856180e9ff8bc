import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { grantStates } from '#domain/authority/facts.ts'
import { call, type InputOf } from '../calls.ts'
import { Empty, Loading, PageTitle, Problem } from '../parts/basics.tsx'
import { AuthorityTabs, GrantTable } from '../parts/delegation.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchForm } from '../parts/search-form.tsx'

const LIMIT = 50

/** Grants of single actions, used and unused. */
export function GrantsPage() {
  const search = useSearch({ from: '/signed-in/authority/grants' })
  const navigate = useNavigate()
  const list = useQuery({
    queryKey: ['grants', search],
    queryFn: () =>
      call('grants-list', { ...search, limit: String(LIMIT) } as InputOf<'grants-list'>),
    placeholderData: keepPreviousData,
  })
  const items = list.data?.items ?? []
  return (
    <>
      <PageTitle>Action grants</PageTitle>
      <AuthorityTabs />
      <SearchForm
        text="Id of a grant, mandate, action, agent or operation"
        choices={[{ name: 'state', label: 'State', any: 'Any state', values: grantStates }]}
        now={search}
        search={(given) => void navigate({ to: '/authority/grants', search: given })}
      />
      <Problem error={list.error} />
      {list.isPending && <Loading />}
      {list.data !== undefined && items.length === 0 && (
        <Empty title="No grant matches">
          A grant permits one action with one input, once, for up to 300 seconds.
        </Empty>
      )}
      {items.length > 0 && <GrantTable grants={items} />}
      <Pager
        offset={list.data?.offset ?? 0}
        shown={items.length}
        limit={LIMIT}
        go={(offset) =>
          void navigate({ to: '/authority/grants', search: { ...search, offset: String(offset) } })
        }
      />
    </>
  )
}
