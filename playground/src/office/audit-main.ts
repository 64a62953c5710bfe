import { createApp } from 'vue'
import '../page/page.css'
import './office.css'
import '@assent/components/style.css'
import AuditPage from './AuditPage.vue'

createApp(AuditPage).mount('#app')
