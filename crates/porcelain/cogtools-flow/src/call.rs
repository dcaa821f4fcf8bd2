//! Nodes that call a tool: which one it is, and what it answers.

use cogtools_core::arguments::Arguments;
use cogtools_core::tool::{FlowCall, FlowNode, FlowTarget};
use cogtools_core::{Cancel, Diagnostic, Tool};
use cogtools_log::Route;
use cogtools_program::call_timeout;
use serde_json::{Map, Value};

use crate::earlier::key;
use crate::outcome::Outcome;
use crate::routing::Capabilities;
use crate::tape::NodeTape;
use crate::work::FlowWork;

impl FlowWork {
    pub(crate) fn call(
        &self,
        id: &str,
        node: &FlowNode,
        call: FlowCall,
        variables: &Map<String, Value>,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        let FlowCall {
            target,
            arguments,
            preset,
        } = call;
        let mut outcome = Outcome {
            arguments: Some(arguments.clone()),
            ..Outcome::default()
        };
        let tool = self.tool_for(target, &mut outcome);
        if let Some(route) = &mut outcome.route {
            route.intent = self.intent(node, variables);
        }
        let example = self.example_result(tool.as_ref().ok(), outcome.route.as_ref());
        let is_keyed = node.is_cached && preset.is_none() && example.is_none();
        if let Ok(tool) = &tool
            && is_keyed
        {
            outcome.key = key(tool, &arguments, &self.registry);
        }
        let known = outcome.key.as_deref().and_then(|key| self.earlier.get(key));
        outcome.is_cached = known.is_some();
        self.note(id, outcome);
        let tool = tool?;
        let preset = example.or(preset);
        if let Some(value) = known.or(preset) {
            return Ok(value);
        }
        let call = self
            .registry
            .prepare_tool(tool, Arguments::from(arguments))
            .map_err(Diagnostic::merge)?;
        // The deadline of a call ends that call alone.
        let cancel = cancel.child();
        let tape = self.tape_of(id)?;
        let mut cx = self.context(&cancel);
        cx.call.tape = tape.as_ref().map(NodeTape::tape);
        let limit = call.limit().within(node.timeout);
        let output = call_timeout::run_within(&limit, &cancel, move || call.run(&cx));
        self.keep(tape.as_ref());
        let output = output.map_err(Diagnostic::merge)?;
        Ok(output.value.unwrap_or(Value::String(output.text)))
    }

    /// What the example that is tested says a tool answers, by its name or by the capability that
    /// it was chosen for.
    fn example_result(&self, tool: Option<&Tool>, route: Option<&Route>) -> Option<Value> {
        let presets = &self.cx.call.presets;
        let name = tool.map(|tool| tool.name().as_str());
        let names = name.into_iter();
        let mut names = names.chain(
            route
                .into_iter()
                .flat_map(|route| [route.operation.as_str(), route.capability.as_str()]),
        );
        names.find_map(|name| presets.get(name)).cloned()
    }

    /// What a model has answered, in JSON, that `node` needs: what the user wants.
    fn intent(&self, node: &FlowNode, variables: &Map<String, Value>) -> Option<Value> {
        let flow = self.tool.flow()?;
        let is_agent = |id: &str| flow.node(id).is_some_and(FlowNode::asks_a_model);
        let mut needs = node.needs.iter().filter(|need| is_agent(&need.node));
        let answers = needs.find_map(|need| variables.get(&need.node));
        answers.filter(|answer| answer.is_object()).cloned()
    }

    /// The tool of a call. How it is chosen is noted in `outcome`.
    fn tool_for(&self, target: FlowTarget, outcome: &mut Outcome) -> Result<Tool, Box<Diagnostic>> {
        let name = match target {
            FlowTarget::Name(name) => name,
            FlowTarget::Capability { capability, among } => {
                let capabilities = || Capabilities::new(&self.registry);
                let capabilities = self.capabilities.get_or_init(capabilities);
                let routing = capabilities.route(&capability, &among);
                outcome.route = Some(routing.route().clone());
                routing.tool()?.to_owned()
            }
        };
        let tool = self.registry.find(&name);
        tool.map_err(|error| Diagnostic::merge(error.diagnostics()))
    }
}
