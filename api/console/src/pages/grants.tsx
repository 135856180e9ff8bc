import { useNavigate, useSearch } from '@tanstack/react-router'
import { grantStates } from '#domain/authority/facts.ts'
import { PageTitle } from '../parts/basics.tsx'
import { AuthorityTabs, GrantTable } from '../parts/delegation.tsx'
import { List, useList } from '../parts/list.tsx'
import { SearchForm } from '../parts/search-form.tsx'

/** Grants of single actions, used and unused. */
export function GrantsPage() {
  const search = useSearch({ from: '/signed-in/authority/grants' })
  const navigate = useNavigate()
  const list = useList('grants-list', search)
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
      <List
        list={list}
        empty={{
          title: 'No grant matches',
          about: 'A grant permits one action with one input, once, for up to 300 seconds.',
        }}
        go={(offset) => void navigate({ to: '/authority/grants', search: { ...search, offset } })}
      >
        {(items) => <GrantTable grants={items} />}
      </List>
    </>
  )
}
