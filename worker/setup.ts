import { loadInfrastructure } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { setUpContainers } from './stack/containers.ts'

// Once, before the containers of API and worker: keys, token, accounts, operator, database roles and search attributes of the local chain.
const { DATA_DIR } = loadStackSettings()
await setUpContainers(DATA_DIR, await orExit(loadInfrastructure), console.log)
