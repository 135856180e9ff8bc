import { grantStates } from '#domain/authority/facts.ts'
import { AuthorityTabs, GrantTable } from '../parts/delegation.tsx'
import { ListPage } from '../parts/list.tsx'

/** Grants of single actions, used and unused. */
export function GrantsPage() {
  return (
    <ListPage
      list="grants-list"
      path="/authority/grants"
      title="Action grants"
      tabs={<AuthorityTabs />}
      text="Id of a grant, mandate, action, agent or operation"
      choices={[{ name: 'state', label: 'State', any: 'Any state', values: grantStates }]}
      empty={{
        title: 'No grant matches',
        about: 'A grant permits one action with one input, once, for up to 300 seconds.',
      }}
    >
      {(items) => <GrantTable grants={items} />}
    </ListPage>
  )
}
