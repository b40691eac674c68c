//! One Yew component that stands in for all function components: `part!` is the only way they are shown.
//!
//! Yew compiles its lifecycle, its scheduler and its tree once per component type, 3 to 6 KB each; here that happens
//! once. State, hooks and the comparison of properties stay as Yew has them. It knows no component by name.

use std::any::{Any, TypeId};
use std::rc::Rc;

use yew::functional::{FunctionComponent, FunctionProvider, HookContext};
use yew::html::{BaseComponent, Context, HtmlResult};
use yew::virtual_dom::{Key, VComp, VList, VNode};
use yew::{Html, Properties};

/// Shows a function component: `part!(Log { session, side: 1 })`, with `key = …` behind it inside a list.
macro_rules! part {
    ($component:ident) => { $crate::app::part::part!($component {}) };
    ($component:ident, key = $key:expr) => { $crate::app::part::part!($component {}, key = $key) };
    ($component:ident { $($properties:tt)* }) => {
        $crate::app::part::show::<$component>(
            ::yew::props!(<$component as ::yew::functional::FunctionProvider>::Properties { $($properties)* }),
            None,
        )
    };
    ($component:ident { $($properties:tt)* }, key = $key:expr) => {
        $crate::app::part::show::<$component>(
            ::yew::props!(<$component as ::yew::functional::FunctionProvider>::Properties { $($properties)* }),
            Some(::yew::virtual_dom::Key::from($key)),
        )
    };
}

pub(crate) use part;

/// What `part!` expands to: the function component `F` with its properties.
pub fn show<F: FunctionProvider + 'static>(properties: F::Properties, key: Option<Key>) -> Html {
    VNode::VComp(Rc::new(VComp::new::<Part>(Rc::new(PartProps::of::<F>(properties)), key)))
}

/// A function component and its properties.
#[derive(Clone, Properties)]
pub struct PartProps {
    /// Both.
    shown: Rc<dyn Shown>,
}

impl PartProps {
    /// The function component `F` with its properties.
    pub fn of<F: FunctionProvider + 'static>(properties: F::Properties) -> PartProps {
        PartProps { shown: Rc::new(Function::<F>(properties)) }
    }
}

impl PartialEq for PartProps {
    fn eq(&self, other: &PartProps) -> bool {
        self.shown.kind() == other.shown.kind() && self.shown.is_same(other.shown.as_any())
    }
}

/// A function component whose type is forgotten.
trait Shown {
    fn kind(&self) -> TypeId;
    fn as_any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn Any) -> bool;
    fn run(&self, hooks: &mut HookContext) -> HtmlResult;
}

struct Function<F: FunctionProvider>(F::Properties);

impl<F: FunctionProvider + 'static> Shown for Function<F> {
    fn kind(&self) -> TypeId {
        TypeId::of::<F>()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Function<F>>().is_some_and(|other| self.0 == other.0)
    }

    fn run(&self, hooks: &mut HookContext) -> HtmlResult {
        F::run(hooks, &self.0)
    }
}

/// Any function component.
pub struct Part {
    hooks: FunctionComponent<Part>,
    /// How many kinds of component this place has shown. Another kind begins with fresh hooks and fresh elements.
    generation: usize,
}

impl FunctionProvider for Part {
    type Properties = PartProps;

    fn run(hooks: &mut HookContext, props: &PartProps) -> HtmlResult {
        props.shown.run(hooks)
    }
}

impl BaseComponent for Part {
    type Message = ();
    type Properties = PartProps;

    fn create(ctx: &Context<Part>) -> Part {
        Part { hooks: FunctionComponent::new(ctx), generation: 0 }
    }

    fn update(&mut self, _: &Context<Part>, (): ()) -> bool {
        true
    }

    fn changed(&mut self, ctx: &Context<Part>, old: &PartProps) -> bool {
        if ctx.props().shown.kind() != old.shown.kind() {
            self.hooks.destroy();
            self.hooks = FunctionComponent::new(ctx);
            self.generation += 1;
        }
        true
    }

    fn view(&self, ctx: &Context<Part>) -> HtmlResult {
        let content = self.hooks.render(ctx.props())?;
        // A list is compared by the keys of its children, so this one is replaced when the generation changes.
        let keyed = VList::with_children(vec![content], Some(Key::from(self.generation)));
        Ok(VList::with_children(vec![keyed.into()], None).into())
    }

    fn rendered(&mut self, _: &Context<Part>, _first: bool) {
        self.hooks.rendered();
    }

    fn destroy(&mut self, _: &Context<Part>) {
        self.hooks.destroy();
    }

    fn prepare_state(&self) -> Option<String> {
        None
    }
}
