import { createApp } from 'vue'
import '../page/page.css'
import './office.css'
import '@assent/components/style.css'
import WorkerPage from './WorkerPage.vue'

createApp(WorkerPage).mount('#app')
