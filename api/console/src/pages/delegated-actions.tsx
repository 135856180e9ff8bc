import { useNavigate, useSearch } from '@tanstack/react-router'
import { actionStates } from '#domain/authority/facts.ts'
import { PageTitle } from '../parts/basics.tsx'
import { ActionTable, AuthorityTabs } from '../parts/delegation.tsx'
import { List, useList } from '../parts/list.tsx'
import { SearchForm } from '../parts/search-form.tsx'

/** What agents executed under mandates, each with the rules that permitted it. */
export function DelegatedActionsPage() {
  const search = useSearch({ from: '/signed-in/authority/actions' })
  const navigate = useNavigate()
  const list = useList('delegated-actions-list', search)
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
      <List
        list={list}
        empty={{
          title: 'No action matches',
          about: 'What an agent was refused before it was stored is on the page of its mandate.',
        }}
        go={(offset) => void navigate({ to: '/authority/actions', search: { ...search, offset } })}
      >
        {(items) => <ActionTable actions={items} />}
      </List>
    </>
  )
}
