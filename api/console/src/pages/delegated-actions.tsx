import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { actionStates } from '#domain/authority/facts.ts'
import { call, type InputOf } from '../calls.ts'
import { Empty, Loading, PageTitle, Problem } from '../parts/basics.tsx'
import { ActionTable, AuthorityTabs } from '../parts/delegation.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchForm } from '../parts/search-form.tsx'

const LIMIT = 50

/** What agents executed under mandates, each with the rules that permitted it. */
export function DelegatedActionsPage() {
  const search = useSearch({ from: '/signed-in/authority/actions' })
  const navigate = useNavigate()
  const list = useQuery({
    queryKey: ['delegated-actions', search],
    queryFn: () =>
      call('delegated-actions-list', {
        ...search,
        limit: String(LIMIT),
      } as InputOf<'delegated-actions-list'>),
    placeholderData: keepPreviousData,
  })
  const items = list.data?.items ?? []
  return (
    <>
      <PageTitle>Delegated actions</PageTitle>
      <AuthorityTabs />
      <SearchForm
        text="Id of an action, grant, mandate, agent or operation"
        choices={[{ name: 'state', label: 'State', any: 'Any state', values: actionStates }]}
        now={search}
        search={(given) => void navigate({ to: '/authority/actions', search: given })}
      />
      <Problem error={list.error} />
      {list.isPending && <Loading />}
      {list.data !== undefined && items.length === 0 && (
        <Empty title="No action matches">
          What an agent was refused before it was stored is on the page of its mandate.
        </Empty>
      )}
      {items.length > 0 && <ActionTable actions={items} />}
      <Pager
        offset={list.data?.offset ?? 0}
        shown={items.length}
        limit={LIMIT}
        go={(offset) =>
          void navigate({ to: '/authority/actions', search: { ...search, offset: String(offset) } })
        }
      />
    </>
  )
}
