import { prepareSamples } from './samples.ts'
import { prepareSearch } from './search.ts'
import { prepareForm } from './try-form.ts'

prepareSamples()
prepareSearch()
prepareForm()
